//! The classic protocol: JoinGroup, SyncGroup, Heartbeat, LeaveGroup.
//!
//! A member joins, the coordinator waits for all members to join and names one the leader, the leader assigns,
//! SyncGroup hands the result to all. An eager member gives up everything before it joins; a cooperative one (KIP-429)
//! keeps what it has, gives up what the new assignment lacks, and joins once more so that others may have it.

mod answers;
mod election;
mod heartbeat;
mod join;
mod leader;
mod leave;
mod member;
mod reconcile;
mod session;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;

use self::election::{Election, Watched};
use self::member::{Member, NO_GENERATION};
use self::session::MemberSession;
use super::action::RequestId;
use super::assignor::{Assignor, LastAssignment, default_assignors};
use super::common::Common;
use super::error::GroupError;
use super::event::GroupEvent;
use super::leave::{LeaveOperation, LeaveRequest};
use super::member::{GroupMemberIdentity, MembershipState, may_return};
use super::pace::{Pace, Permit};
use crate::config::TopicPartition;

/// A member's state in the classic protocol.
#[derive(Debug)]
pub(super) struct ClassicMembership {
    assignors: Vec<Arc<dyn Assignor>>,
    /// Whether partitions are kept while joining: only if every assignor allows it, because the group may choose any.
    is_cooperative: bool,
    phase: JoinPhase,
    member: Member,
    /// Why the member has to join again; `None` if it has not.
    rejoin: Option<Arc<str>>,
    /// When JoinGroup may be sent.
    pace: Pace,
    /// For the SyncGroup after the JoinGroup that is under way or was answered last.
    sync_permit: Option<Permit>,
    /// When heartbeats may be sent.
    beat_pace: Pace,
    session: MemberSession,
    /// What the last join subscribed to.
    joined_topics: BTreeSet<Arc<str>>,
    /// The first JoinGroup of a member that leaves before it is answered, and until when its answer is waited for: the
    /// id in it keeps a place that nobody else can give up.
    unnamed: Option<(RequestId, Instant)>,
    /// As which member, and in which generation, partitions were last given up in order to join.
    gave_up_in: Option<(Arc<str>, i32)>,
    /// The partitions that the last join claimed to own.
    claimed: Vec<TopicPartition>,
    /// As leader: the topics that the last assignment was made from.
    watched: Option<Watched>,
    last: LastAssignment,
}

#[derive(Debug)]
enum JoinPhase {
    Idle,
    /// Wants to join: waits for partitions to be revoked, for the coordinator, or for the end of a pause.
    Preparing,
    Joining(RequestId, Instant),
    /// This member leads and makes the assignment.
    Electing(Election),
    Syncing(RequestId, Instant),
    Stable,
    Leaving(LeaveRequest),
    Expelled,
    Failed {
        may_return: bool,
    },
}

impl ClassicMembership {
    pub(super) fn new(common: &mut Common, mut assignors: Vec<Arc<dyn Assignor>>) -> Self {
        if assignors.is_empty() {
            assignors = default_assignors();
        }
        Self {
            is_cooperative: assignors.iter().all(|assignor| assignor.is_cooperative()),
            assignors,
            phase: JoinPhase::Idle,
            member: Member::nobody(),
            rejoin: None,
            pace: common.pace(),
            sync_permit: None,
            beat_pace: common.pace(),
            session: MemberSession::default(),
            joined_topics: BTreeSet::new(),
            unnamed: None,
            gave_up_in: None,
            claimed: Vec::new(),
            watched: None,
            last: LastAssignment {
                partitions: Vec::new(),
                generation: NO_GENERATION,
            },
        }
    }

    /// Lets a membership that has ended for good begin again. False if it has not ended so.
    pub(super) fn begin_anew(&mut self) -> bool {
        let has_ended = matches!(self.phase, JoinPhase::Failed { may_return: false });
        if has_ended {
            self.phase = JoinPhase::Idle;
        }
        has_ended
    }

    pub(super) fn subscription_changed(&mut self, common: &mut Common, _now: Instant) {
        match &self.phase {
            JoinPhase::Idle | JoinPhase::Expelled | JoinPhase::Failed { may_return: true } => {
                self.start("the consumer subscribed");
            }
            // The topics of a join under way are compared with the subscription when it has completed.
            JoinPhase::Stable if self.joined_topics != common.topics() => {
                self.request_rejoin("the subscription changed");
            }
            JoinPhase::Stable
            | JoinPhase::Preparing
            | JoinPhase::Joining(..)
            | JoinPhase::Electing(_)
            | JoinPhase::Syncing(..)
            | JoinPhase::Leaving(_)
            | JoinPhase::Failed { may_return: false } => {}
        }
    }

    /// Joins again as soon as that is possible.
    pub(super) fn request_rejoin(&mut self, reason: &str) {
        if self.rejoin.is_none() {
            self.rejoin = Some(reason.into());
        }
    }

    pub(super) fn polled(&mut self, common: &mut Common, _now: Instant) {
        let returns = matches!(
            self.phase,
            JoinPhase::Expelled | JoinPhase::Failed { may_return: true }
        );
        if returns && common.subscription.is_some() {
            self.start("the consumer polls again");
        }
    }

    #[expect(clippy::unused_self, reason = "the other protocol does something here")]
    pub(super) fn change_done(&mut self, _common: &mut Common, _now: Instant) {}

    pub(super) fn cluster_changed(&mut self, common: &mut Common, now: Instant) {
        if let Some(watched) = &self.watched {
            common
                .gone
                .note(&common.cluster, watched.topics().iter(), now);
        }
        self.look_at_topics(common);
    }

    /// Joins again if the last assignment, which this member has made, is out of date.
    pub(super) fn look_at_topics(&mut self, common: &Common) {
        let Some(watched) = &self.watched else {
            return;
        };
        if matches!(self.phase, JoinPhase::Stable) && watched.differs(common) {
            self.request_rejoin("partitions of subscribed topics changed");
        }
    }

    /// Does what is due.
    pub(super) fn advance(&mut self, common: &mut Common, now: Instant) {
        self.end_session(common, now);
        if common.gone.pass(now) {
            self.look_at_topics(common);
        }
        if matches!(self.phase, JoinPhase::Stable) && self.rejoin.is_some() {
            self.prepare(common);
        }
        match &self.phase {
            JoinPhase::Preparing => self.try_join(common, now),
            JoinPhase::Electing(_) => self.try_elect(common, now),
            JoinPhase::Leaving(_) => self.try_leave(common, now),
            JoinPhase::Idle
            | JoinPhase::Joining(..)
            | JoinPhase::Syncing(..)
            | JoinPhase::Stable
            | JoinPhase::Expelled
            | JoinPhase::Failed { .. } => {}
        }
        self.try_heartbeat(common, now);
    }

    pub(super) fn wake_at(&self, common: &Common) -> Option<Instant> {
        // The end of a revocation and of the search for the coordinator are reported, so they need no time here.
        let can_act = common.ownership.is_settled() && common.coordinator.node().is_some();
        let retry_at = match &self.phase {
            JoinPhase::Preparing if can_act && !common.joins_later => self.pace.next_at(),
            JoinPhase::Electing(election) => election.wake_at(),
            // A member without an id owns nothing, but its commits may wait.
            JoinPhase::Leaving(_) if self.unnamed.is_some() => self
                .unnamed
                .filter(|_| !common.is_committing)
                .map(|(_, until)| until),
            JoinPhase::Leaving(leaving)
                if can_act && !common.is_committing && !leaving.is_in_flight() =>
            {
                common.leaves.next_at()
            }
            _ => None,
        };
        let heartbeat_at = self
            .beats(common)
            .then(|| self.session.wake_at(common, &self.beat_pace))
            .flatten();
        let rebalance_ends_at = self.rebalance_ends_at(common);
        let gone_at = common.gone.wake_at();
        [retry_at, heartbeat_at, rebalance_ends_at, gone_at]
            .into_iter()
            .flatten()
            .min()
    }

    pub(super) fn state(&self) -> MembershipState {
        match &self.phase {
            JoinPhase::Idle => MembershipState::Unsubscribed,
            JoinPhase::Preparing | JoinPhase::Joining(..)
                if self.member.generation == NO_GENERATION =>
            {
                MembershipState::Joining
            }
            JoinPhase::Preparing
            | JoinPhase::Joining(..)
            | JoinPhase::Electing(_)
            | JoinPhase::Syncing(..) => MembershipState::Rebalancing,
            JoinPhase::Stable => MembershipState::Stable,
            JoinPhase::Leaving(_) => MembershipState::Leaving,
            JoinPhase::Expelled => MembershipState::Expelled,
            JoinPhase::Failed { .. } => MembershipState::Failed,
        }
    }

    pub(super) fn identity(&self, common: &Common) -> Option<GroupMemberIdentity> {
        (self.member.generation != NO_GENERATION).then(|| GroupMemberIdentity {
            member_id: Arc::clone(&self.member.id),
            generation: self.member.generation,
            instance: common.instance.clone(),
        })
    }

    /// Handles the refusal of a commit because of its member id or generation.
    pub(super) fn identity_refused(&mut self, common: &mut Common, now: Instant, code: ErrorCode) {
        match code {
            ErrorCode::FencedInstanceId => {
                let error = common.refusal("OffsetCommit", code, None);
                self.fail(common, now, error);
            }
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration => {
                self.member_refused(common, code);
            }
            ErrorCode::RebalanceInProgress if matches!(self.phase, JoinPhase::Stable) => {
                self.request_rejoin("the group is rebalancing");
            }
            _ => {}
        }
    }

    /// Ends the membership with an error. Unless that is fatal, it begins again when the application polls, but not
    /// sooner than its pace allows, and the member keeps its id: the coordinator still knows it, and the group would
    /// wait for it until its session expires, so it comes back to its place or gives it up.
    pub(super) fn fail(&mut self, common: &mut Common, now: Instant, error: GroupError) {
        self.pace.failed(now);
        let may_return = may_return(&error);
        match may_return {
            true => self.forget_generation(),
            false => self.forget_member(),
        }
        common.lose(error.clone());
        // A leaving member still has to send LeaveGroup.
        if matches!(self.phase, JoinPhase::Leaving(_)) {
            return;
        }
        common.events.push_back(GroupEvent::Failed(error));
        self.phase = JoinPhase::Failed { may_return };
    }

    /// The search for the coordinator was refused.
    pub(super) fn search_failed(&mut self, common: &mut Common, now: Instant, error: GroupError) {
        match self.phase {
            JoinPhase::Leaving(_) => self.leave_failed(common, now),
            _ => self.fail(common, now, error),
        }
    }

    /// True if the coordinator may have this member, so that it has to leave at the end.
    pub(super) fn may_have_place(&self) -> bool {
        !self.member.id.is_empty()
    }

    /// Leaves the group because the application does not poll. A member that was leaving already has left by this.
    pub(super) fn expel(&mut self, common: &mut Common, now: Instant, error: GroupError) {
        if let JoinPhase::Leaving(leaving) = &self.phase {
            let (operation, reason) = (leaving.operation(), leaving.reason());
            if !leaving.is_in_flight() && self.sends_leave(common, operation) {
                self.send_leave(common, now, reason);
            }
            common.lose(error);
            return self.left(common);
        }
        let says_so = self.sends_leave(common, LeaveOperation::Default);
        let reason = Some("max_poll_interval_ms exceeded".into());
        if says_so && self.send_leave(common, now, reason).is_none() {
            // LeaveGroup cannot be sent: the member id is kept, so that the next join takes over the old place.
            self.forget_generation();
        } else {
            self.forget_member();
        }
        common.lose(error);
        self.phase = JoinPhase::Expelled;
    }

    fn start(&mut self, reason: &str) {
        self.request_rejoin(reason);
        self.phase = JoinPhase::Preparing;
    }

    /// Handles the refusal of another request than those of a rebalance because of the member id or generation. The
    /// answers of a rebalance may come later: they are of another connection, or of another request on it.
    fn member_refused(&mut self, common: &mut Common, code: ErrorCode) {
        match (code, &self.phase) {
            // The join has completed and its response is on the way: the generation here is the old one.
            (ErrorCode::IllegalGeneration, JoinPhase::Joining(..)) => {}
            // The response to the join will have this code too.
            (_, JoinPhase::Joining(..)) => {
                self.member.generation = NO_GENERATION;
                common.fenced(code);
            }
            _ => self.fenced(common, code),
        }
    }

    /// Handles fencing: the member joins anew. After ILLEGAL_GENERATION its id is still valid.
    fn fenced(&mut self, common: &mut Common, code: ErrorCode) {
        match code {
            ErrorCode::IllegalGeneration => self.forget_generation(),
            _ => self.forget_member(),
        }
        common.fenced(code);
        if !matches!(self.phase, JoinPhase::Leaving(_)) {
            self.request_rejoin("the member was fenced");
            self.phase = JoinPhase::Preparing;
        }
    }

    /// Forgets the member id too, because the coordinator does not know it any more.
    fn forget_member(&mut self) {
        self.forget_generation();
        self.member = Member::nobody();
    }

    fn forget_generation(&mut self) {
        self.member.generation = NO_GENERATION;
        self.session.stop();
        self.watched = None;
    }
}
