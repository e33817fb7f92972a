//! How to leave a group.

use super::action::RequestId;

/// Tries to tell the coordinator. After these the session's end tells it.
const TRIES: u32 = 3;

/// What leaving means to a member (KIP-1092).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeaveOperation {
    /// A member with an instance id keeps its place until the session ends, others leave at once.
    #[default]
    Default,
    /// Leave at once, with an instance id too.
    LeaveGroup,
    /// Keep the place until the session ends, without an instance id too.
    RemainInGroup,
}

/// A wish to leave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leave {
    /// Whether the place is given up.
    pub operation: LeaveOperation,
    /// Why, for the broker's log (KIP-800).
    pub reason: Option<String>,
}

/// A member on its way out: what it has to say, and how far the request that says it has come.
#[derive(Debug)]
pub(super) struct LeaveRequest {
    leave: Leave,
    in_flight: Option<RequestId>,
    failures: u32,
}

impl LeaveRequest {
    pub(super) fn new(leave: Leave) -> Self {
        Self {
            leave,
            in_flight: None,
            failures: 0,
        }
    }

    pub(super) fn operation(&self) -> LeaveOperation {
        self.leave.operation
    }

    pub(super) fn reason(&self) -> Option<String> {
        self.leave.reason.clone()
    }

    pub(super) fn is_in_flight(&self) -> bool {
        self.in_flight.is_some()
    }

    /// Whether `id` is the request under way.
    pub(super) fn is(&self, id: RequestId) -> bool {
        self.in_flight == Some(id)
    }

    pub(super) fn sent(&mut self, id: RequestId) {
        self.in_flight = Some(id);
    }

    /// The coordinator was not reached, or is another one by now.
    pub(super) fn failed(&mut self) {
        self.in_flight = None;
        self.failures += 1;
    }

    /// There is nobody to tell, or nobody who answers.
    pub(super) fn give_up(&mut self) {
        self.in_flight = None;
        self.failures = TRIES;
    }

    /// Whether the coordinator is not told any more: the session's end tells it.
    pub(super) fn is_given_up(&self) -> bool {
        self.failures >= TRIES
    }
}
