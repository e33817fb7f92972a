//! How to leave a group.

use super::action::RequestId;

/// How often telling the coordinator is attempted. After that it learns of the leave when the session expires.
const TRIES: u32 = 3;

/// Whether a leaving member gives up its place in the group (KIP-1092).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeaveOperation {
    /// A static member (with an instance id) keeps its place until the session expires, others leave at once.
    #[default]
    Default,
    /// Leave at once, also as a static member.
    LeaveGroup,
    /// Keep the place until the session expires, also without an instance id.
    RemainInGroup,
}

/// How and why to leave a group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leave {
    /// Whether the place is given up at once.
    pub operation: LeaveOperation,
    /// Why, for the broker's log (KIP-800).
    pub reason: Option<String>,
}

/// The progress of a leave: what was asked for, the request under way, failed attempts.
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

    /// True if `id` is the request under way.
    pub(super) fn is(&self, id: RequestId) -> bool {
        self.in_flight == Some(id)
    }

    pub(super) fn sent(&mut self, id: RequestId) {
        self.in_flight = Some(id);
    }

    /// Notes a failed attempt to tell the coordinator.
    pub(super) fn failed(&mut self) {
        self.in_flight = None;
        self.failures += 1;
    }

    /// Makes no further attempt: there is no coordinator that could be told.
    pub(super) fn give_up(&mut self) {
        self.in_flight = None;
        self.failures = TRIES;
    }

    /// True if no further attempt is made: the coordinator learns of the leave when the session expires.
    pub(super) fn is_given_up(&self) -> bool {
        self.failures >= TRIES
    }
}
