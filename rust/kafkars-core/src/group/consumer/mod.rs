//! The consumer protocol (KIP-848): one request, ConsumerGroupHeartbeat, reports what the member subscribes to and
//! owns, and its response says what it should own. The coordinator never gives a partition to a second member before
//! the first has said, with its owned partitions, that it has given it up.

mod answers;
mod heartbeat;
mod leave;
mod reconcile;
mod reported_state;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::{ErrorCode, Uuid};

use self::reported_state::ReportedState;
use super::action::RequestId;
use super::common::Common;
use super::error::GroupError;
use super::event::GroupEvent;
use super::leave::LeaveRequest;
use super::member::{GroupMemberIdentity, MembershipState, may_return};
use super::pace::Pace;
use crate::backoff::Random;

/// The member epoch of a heartbeat that asks to join.
const JOINING: i32 = 0;

/// A member's state in the consumer protocol.
#[derive(Debug)]
pub(super) struct ConsumerMembership {
    /// Chosen here; kept for all joins, unless the coordinator gives another one.
    member_id: Arc<str>,
    /// [`JOINING`], or the member epoch of the last response.
    epoch: i32,
    phase: MemberPhase,
    in_flight: Option<Beat>,
    next_at: Option<Instant>,
    pace: Pace,
    /// What the coordinator was told and has confirmed; heartbeats leave it out.
    told: Option<ReportedState>,
    /// What the member should own (KIP-848: its target assignment), as the coordinator said last.
    target: Option<BTreeMap<Uuid, Vec<i32>>>,
    /// Names of the topics that were ever assigned: a topic that is deleted loses its name in the metadata.
    names: BTreeMap<Uuid, Arc<str>>,
    /// Until when the coordinator keeps the member at least, if its session timeout is `session_timeout_ms`.
    session_ends_at: Option<Instant>,
    /// At this time, or later, the coordinator did not wait for this member to give up partitions. It waits for the
    /// rebalance timeout at most.
    calm_at: Option<Instant>,
    /// True while partitions are to be given up, until the coordinator has confirmed that they are.
    is_releasing: bool,
    /// True from a revocation on, until the application was told what has come instead.
    owes_assignment: bool,
    /// Since when joins are refused because another member holds the instance id.
    unreleased_since: Option<Instant>,
    /// How often in a row the coordinator has said that it does not support the protocol.
    unsupported: u32,
    /// True if the coordinator has refused the member since it served it last, without a cause that is known here.
    is_unexplained: bool,
    /// True if the coordinator may still have this member from before it dropped out; others wait for it then.
    has_old_place: bool,
}

/// A heartbeat under way.
#[derive(Debug)]
struct Beat {
    id: RequestId,
    sent_at: Instant,
    told: ReportedState,
    tells_owned: bool,
}

#[derive(Debug)]
enum MemberPhase {
    Idle,
    /// In the group, or on the way into it while the epoch is [`JOINING`].
    Active,
    Leaving(LeaveRequest),
    Expelled,
    Failed {
        may_return: bool,
    },
}

impl ConsumerMembership {
    pub(super) fn new(common: &mut Common, seed: u64) -> Self {
        Self {
            member_id: member_id(seed),
            pace: common.pace(),
            epoch: JOINING,
            phase: MemberPhase::Idle,
            in_flight: None,
            next_at: None,
            told: None,
            target: None,
            names: BTreeMap::new(),
            session_ends_at: None,
            calm_at: None,
            is_releasing: false,
            owes_assignment: false,
            unreleased_since: None,
            unsupported: 0,
            is_unexplained: false,
            has_old_place: false,
        }
    }

    /// Lets a membership that has ended for good begin again. False if it has not ended so.
    pub(super) fn begin_anew(&mut self) -> bool {
        let has_ended = matches!(self.phase, MemberPhase::Failed { may_return: false });
        if has_ended {
            self.rest();
        }
        has_ended
    }

    /// Waits for a subscription, whose member has not been refused yet.
    fn rest(&mut self) {
        self.phase = MemberPhase::Idle;
        self.unsupported = 0;
        self.is_unexplained = false;
    }

    pub(super) fn subscription_changed(&mut self, _common: &mut Common, now: Instant) {
        match self.phase {
            MemberPhase::Idle
            | MemberPhase::Expelled
            | MemberPhase::Failed { may_return: true } => self.start(now),
            // The next heartbeat reports it, and is sent at once.
            MemberPhase::Active if !self.pace.has_failed() => self.next_at = Some(now),
            MemberPhase::Active
            | MemberPhase::Leaving(_)
            | MemberPhase::Failed { may_return: false } => {}
        }
    }

    pub(super) fn polled(&mut self, common: &mut Common, now: Instant) {
        let returns = match &self.phase {
            MemberPhase::Expelled => self.in_flight.is_none(),
            MemberPhase::Failed { may_return } => *may_return,
            MemberPhase::Idle | MemberPhase::Active | MemberPhase::Leaving(_) => false,
        };
        if returns && common.subscription.is_some() {
            self.start(now);
        }
    }

    pub(super) fn change_done(&mut self, common: &mut Common, now: Instant) {
        self.reconcile(common, now);
    }

    pub(super) fn cluster_changed(&mut self, common: &mut Common, now: Instant) {
        self.reconcile(common, now);
    }

    /// Does what is due.
    pub(super) fn advance(&mut self, common: &mut Common, now: Instant) {
        self.end_session(common, now);
        match self.phase {
            MemberPhase::Active => self.try_heartbeat(common, now),
            MemberPhase::Leaving(_) => {
                self.try_leave(common, now);
                if matches!(self.phase, MemberPhase::Leaving(_)) {
                    self.try_heartbeat(common, now);
                }
            }
            MemberPhase::Idle | MemberPhase::Expelled | MemberPhase::Failed { .. } => {}
        }
    }

    pub(super) fn wake_at(&self, common: &Common) -> Option<Instant> {
        if !matches!(self.phase, MemberPhase::Active | MemberPhase::Leaving(_)) {
            return None;
        }
        let waits = self.in_flight.is_some()
            || common.coordinator.node().is_none()
            || self.epoch == JOINING
                && !(matches!(self.phase, MemberPhase::Active) && common.may_join());
        let beat_at = match waits {
            true => None,
            false => self.next_at.map(|at| self.pace.not_before(at)),
        };
        [
            beat_at,
            self.leave_wake_at(common),
            self.session_ends_at,
            self.rebalance_ends_at(common),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    pub(super) fn state(&self, common: &Common) -> MembershipState {
        match &self.phase {
            MemberPhase::Idle => MembershipState::Unsubscribed,
            MemberPhase::Active if self.epoch == JOINING => MembershipState::Joining,
            MemberPhase::Active
                if !common.ownership.is_settled() || !self.is_reconciled(common) =>
            {
                MembershipState::Rebalancing
            }
            MemberPhase::Active => MembershipState::Stable,
            MemberPhase::Leaving(_) => MembershipState::Leaving,
            MemberPhase::Expelled => MembershipState::Expelled,
            MemberPhase::Failed { .. } => MembershipState::Failed,
        }
    }

    pub(super) fn identity(&self, common: &Common) -> Option<GroupMemberIdentity> {
        (self.epoch != JOINING).then(|| GroupMemberIdentity {
            member_id: Arc::clone(&self.member_id),
            generation: self.epoch,
            instance: common.instance.clone(),
        })
    }

    /// Handles the refusal of a commit because of its member id or epoch. STALE_MEMBER_EPOCH means that a newer epoch
    /// is on its way to the member.
    pub(super) fn identity_refused(&mut self, common: &mut Common, now: Instant, code: ErrorCode) {
        match code {
            ErrorCode::FencedInstanceId => {
                let error = common.refusal("OffsetCommit", code, None);
                self.fail(common, now, error);
            }
            ErrorCode::UnknownMemberId | ErrorCode::FencedMemberEpoch => {
                self.fenced(common, now, code);
            }
            ErrorCode::StaleMemberEpoch if !self.pace.has_failed() => self.next_at = Some(now),
            _ => {}
        }
    }

    /// Ends the membership with an error. Unless that is fatal, it begins again when the application polls, but not
    /// sooner than its pace allows. The old place is given up, because the coordinator refuses joins of a member that
    /// it still has, and others would wait for its session to expire.
    pub(super) fn fail(&mut self, common: &mut Common, now: Instant, error: GroupError) {
        self.pace.failed(now);
        let may_return = may_return(&error);
        self.forget_place();
        self.has_old_place &= !error.is_displaced();
        common.lose(error.clone());
        // A leaving member still has to send its last heartbeat.
        if matches!(self.phase, MemberPhase::Leaving(_)) {
            return;
        }
        if self.has_old_place && common.coordinator.node().is_some() {
            self.free_own_place(common, now);
        }
        common.events.push_back(GroupEvent::Failed(error));
        self.phase = MemberPhase::Failed { may_return };
    }

    /// The search for the coordinator was refused. As in Java's client that is not for good: it is made again.
    pub(super) fn search_failed(&mut self, common: &mut Common, now: Instant, error: GroupError) {
        match self.phase {
            MemberPhase::Leaving(_) => self.leave_failed(common, now),
            _ => self.fail(common, now, error),
        }
    }

    /// True if the coordinator may have this member, so that it has to leave at the end.
    pub(super) fn may_have_place(&self) -> bool {
        self.has_old_place || self.epoch != JOINING || self.in_flight.is_some()
    }

    fn start(&mut self, now: Instant) {
        self.forget_place();
        self.next_at = Some(now);
        self.phase = MemberPhase::Active;
    }

    /// Handles fencing: the member joins anew under the same id, once the application has handled the loss.
    fn fenced(&mut self, common: &mut Common, now: Instant, code: ErrorCode) {
        // A refusal while joining is a failed join, so the next one waits for a pause.
        if self.epoch == JOINING {
            self.pace.failed(now);
        }
        self.forget_place();
        common.fenced(code);
        self.next_at = Some(now);
    }

    /// Forgets everything but the pace: the next join is another attempt of the same member.
    fn forget_place(&mut self) {
        self.has_old_place = self.may_have_place();
        self.epoch = JOINING;
        self.in_flight = None;
        self.next_at = None;
        self.told = None;
        self.target = None;
        self.session_ends_at = None;
        self.calm_at = None;
        self.is_releasing = false;
        self.owes_assignment = false;
        self.unreleased_since = None;
    }
}

/// The id that a member makes for itself, for as long as its process lasts (KIP-1082): a random UUID in the text form
/// that Kafka gives its ids. `seed` is that of its [`super::membership::Membership`].
pub fn member_id(seed: u64) -> Arc<str> {
    // Another sequence than that of back-offs, which would tell the id.
    let mut random = Random::new(!seed);
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&random.next().to_be_bytes());
    bytes[8..].copy_from_slice(&random.next().to_be_bytes());
    // Version 4, variant 1: what these bits say in a random UUID.
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    Uuid(bytes).to_string().into()
}
