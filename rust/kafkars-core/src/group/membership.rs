//! `Membership`: one interface over the classic and the consumer protocol.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;

use super::action::{Action, AssignorOutcome, GroupResponse, RequestFailure, RequestId};
use super::assignor::Assignor;
use super::classic::ClassicMembership;
use super::common::Common;
use super::consumer::ConsumerMembership;
use super::error::GroupError;
use super::event::{ChangeId, GroupEvent};
use super::leave::Leave;
use super::member::{GroupMemberIdentity, MembershipState, Subscription};
use crate::cluster::Cluster;
use crate::config::{Checked, GroupConfig, GroupProtocol, TopicPartition};

/// One consumer's membership in one group.
#[derive(Debug)]
pub struct Membership {
    common: Common,
    protocol: Protocol,
}

#[derive(Debug)]
enum Protocol {
    Classic(ClassicMembership),
    Consumer(ConsumerMembership),
}

/// Makes the same call on whichever protocol is in use.
macro_rules! speak {
    ($self:ident, $protocol:ident => $call:expr) => {
        match &mut $self.protocol {
            Protocol::Classic($protocol) => $call,
            Protocol::Consumer($protocol) => $call,
        }
    };
}

impl Membership {
    /// Creates a membership without a subscription. `assignors` is `partition_assignment_strategy` in order of
    /// preference (classic protocol; if empty, range and cooperative-sticky, the default of Kafka's own consumer).
    /// `seed` should differ from process to process: back-off and member ids come from it.
    #[must_use]
    pub fn new(config: Checked<GroupConfig>, assignors: Vec<Arc<dyn Assignor>>, seed: u64) -> Self {
        let mut common = Common::new(config, seed);
        let protocol = match common.config.group_protocol {
            GroupProtocol::Classic => {
                Protocol::Classic(ClassicMembership::new(&mut common, assignors))
            }
            GroupProtocol::Consumer => {
                Protocol::Consumer(ConsumerMembership::new(&mut common, seed))
            }
        };
        Self { common, protocol }
    }

    /// Says what log lines call the client.
    #[must_use]
    pub fn named(mut self, client: &Arc<str>) -> Self {
        self.common.client = Arc::clone(client);
        self
    }

    // --- commands of the application ---

    /// Replaces the subscription.
    ///
    /// # Errors
    /// [`GroupError::InvalidPattern`] for a pattern with the classic protocol; nothing has changed then.
    pub fn subscribe(
        &mut self,
        now: Instant,
        subscription: Subscription,
    ) -> Result<(), GroupError> {
        if let (Subscription::Pattern(pattern), Protocol::Classic(_)) =
            (&subscription, &self.protocol)
        {
            return Err(GroupError::InvalidPattern {
                pattern: Arc::clone(pattern),
                message: "patterns are evaluated by the coordinator only with group_protocol=\"consumer\"".into(),
            });
        }
        if self.common.subscription.as_ref() != Some(&subscription) {
            self.common.subscription = Some(subscription);
            self.common.poll.polled(now);
            speak!(self, protocol => protocol.subscription_changed(&mut self.common, now));
        }
        self.advance(now);
        Ok(())
    }

    /// The application subscribes, perhaps to the same: a membership that has ended with a fatal error begins again
    /// with the next [`Membership::subscribe`]. Topics that a pattern finds later do not have this effect.
    pub fn begin_anew(&mut self) {
        if speak!(self, protocol => protocol.begin_anew()) {
            self.common.subscription = None;
        }
    }

    /// Revokes all partitions and leaves the group; [`GroupEvent::Left`] follows when that is done.
    pub fn leave(&mut self, now: Instant, leave: Leave) {
        self.common.subscription = None;
        // A failed member that only gives up its place now need not have polled meanwhile.
        if !self.takes_part() {
            self.common.poll.polled(now);
        }
        speak!(self, protocol => protocol.leave(&mut self.common, now, leave));
        self.advance(now);
    }

    /// Notes that the application polled. Cheap, but not meant for every record: a few times per `max_poll_interval_ms`
    /// is enough.
    pub fn polled(&mut self, now: Instant) {
        // An interval that was exceeded before this poll counts, even if nothing has checked it yet.
        self.advance(now);
        self.common.poll.polled(now);
        speak!(self, protocol => protocol.polled(&mut self.common, now));
        self.advance(now);
    }

    /// Notes that the application waits for records inside a call (`true`), or that this call has ended (`false`). The
    /// poll interval does not run while it waits.
    pub fn waiting(&mut self, now: Instant, is_waiting: bool) {
        self.polled(now);
        self.common.poll.waiting(now, is_waiting);
    }

    /// Notes that the application has carried out a [`super::Change`].
    pub fn change_done(&mut self, now: Instant, id: ChangeId) {
        if self.common.ownership.done(id) {
            speak!(self, protocol => protocol.change_done(&mut self.common, now));
        }
        self.advance(now);
    }

    /// Asks for a rebalance because the application wants one (KIP-568). False with the consumer protocol, where only
    /// the coordinator starts rebalances.
    pub fn enforce_rebalance(&mut self, now: Instant, reason: &str) -> bool {
        let done = match &mut self.protocol {
            Protocol::Classic(classic) => {
                classic.request_rejoin(reason);
                true
            }
            Protocol::Consumer(_) => false,
        };
        self.advance(now);
        done
    }

    // --- reports of the driver ---

    /// Takes the newest metadata.
    pub fn cluster_changed(&mut self, now: Instant, cluster: &Cluster) {
        self.common.cluster = cluster.clone();
        self.common.lookup.cluster_changed(cluster);
        speak!(self, protocol => protocol.cluster_changed(&mut self.common, now));
        self.advance(now);
    }

    /// Takes the outcome of [`Action::FindCoordinator`].
    pub fn coordinator_answered(&mut self, now: Instant, answer: Result<i32, RequestFailure>) {
        match answer {
            Ok(node) => self.common.coordinator.found(node),
            Err(RequestFailure::Retriable(cause)) => {
                self.common.last_cause = cause;
                self.common.coordinator.not_found(now);
            }
            Err(RequestFailure::Refused(code, _)) if code.retriable() => {
                self.common.last_cause = code.name().into();
                self.common.coordinator.not_found(now);
            }
            Err(failure) => {
                self.common.coordinator.not_found(now);
                self.common.coordinator.give_up();
                let error = self.search_error(failure.clone());
                // Waiting commits end with this failure too, if the consumer is outside of its group or leaving it.
                if !self.takes_part() || self.state() == MembershipState::Leaving {
                    self.common.search_failure = Some(failure);
                }
                if self.takes_part() {
                    speak!(self, protocol => protocol.search_failed(&mut self.common, now, error));
                }
            }
        }
        self.advance(now);
    }

    /// Takes a response. One to a request that no longer matters is ignored.
    pub fn answered(&mut self, now: Instant, id: RequestId, response: GroupResponse) {
        speak!(self, protocol => protocol.answered(&mut self.common, now, id, response));
        self.advance(now);
    }

    /// Takes the failure of a request that has no usable response.
    pub fn failed(&mut self, now: Instant, id: RequestId, failure: RequestFailure) {
        speak!(self, protocol => protocol.failed(&mut self.common, now, id, failure));
        self.advance(now);
    }

    /// Takes the outcome of [`Action::Assign`].
    pub fn assignor_finished(&mut self, now: Instant, id: RequestId, outcome: AssignorOutcome) {
        if let Protocol::Classic(classic) = &mut self.protocol {
            classic.assignor_finished(&mut self.common, now, id, outcome);
        }
        self.advance(now);
    }

    /// Ends the attempts of a leaving member to tell the coordinator, because no broker, or not the coordinator,
    /// accepts this client's login. The group then learns of it when the session expires.
    pub fn leave_unsaid(&mut self, now: Instant) {
        speak!(self, protocol => protocol.leave_unsaid());
        self.advance(now);
    }

    /// Notes that a commit found broker `node` not to be the coordinator, or not to be reachable.
    pub fn coordinator_lost(&mut self, now: Instant, node: i32) {
        self.common.coordinator_lost(now, node);
        self.advance(now);
    }

    /// Notes that a commit was refused because of the member id or generation in `identity`. Ignored if the member has
    /// another identity by now.
    pub fn identity_refused(
        &mut self,
        now: Instant,
        identity: &GroupMemberIdentity,
        code: ErrorCode,
    ) {
        if self.identity().as_ref() == Some(identity) {
            speak!(self, protocol => protocol.identity_refused(&mut self.common, now, code));
        }
        self.advance(now);
    }

    /// Notes that the coordinator has accepted a commit.
    pub(super) fn coordinator_served(&mut self) {
        self.common.coordinator.served();
    }

    /// Notes whether accepted commits are unfinished. The member leaves only after them, because the coordinator
    /// refuses commits of a member that has left, and [`GroupEvent::Left`] waits for them. `joins_later` tells whether
    /// some of them were made before the subscription.
    pub(super) fn note_commits(&mut self, now: Instant, are_waiting: bool, joins_later: bool) {
        let common = &mut self.common;
        let ends = common.is_committing && !are_waiting || common.joins_later && !joins_later;
        common.is_committing = are_waiting;
        common.joins_later = joins_later;
        if ends {
            self.advance(now);
        }
    }

    /// Takes the failure of the last search for the coordinator, if no membership has failed with it.
    pub(super) fn take_search_failure(&mut self) -> Option<RequestFailure> {
        self.common.search_failure.take()
    }

    // --- what to do ---

    /// What to do now; call until `None`.
    pub fn next_action(&mut self, now: Instant) -> Option<Action> {
        self.advance(now);
        self.common.actions.pop_front()
    }

    /// True if [`Membership::next_action`] gives something.
    #[must_use]
    pub fn has_action(&self) -> bool {
        !self.common.actions.is_empty()
    }

    /// What to tell the application; call until `None`.
    pub fn next_event(&mut self) -> Option<GroupEvent> {
        if self.common.is_committing && matches!(self.common.events.front(), Some(GroupEvent::Left))
        {
            return None;
        }
        self.common.events.pop_front()
    }

    /// When to call [`Membership::next_action`] again even if nothing is reported until then; `None`: not before
    /// something is.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        let protocol = match &self.protocol {
            Protocol::Classic(classic) => classic.wake_at(&self.common),
            Protocol::Consumer(consumer) => consumer.wake_at(&self.common),
        };
        let coordinator = self.common.coordinator.wake_at();
        let poll = self
            .takes_part()
            .then(|| self.common.poll.expires_at())
            .flatten();
        let lookup = self.common.lookup.wake_at();
        [protocol, coordinator, lookup, poll]
            .into_iter()
            .flatten()
            .min()
    }

    /// The coordinator's node id, for commits. While it is unknown this starts a search, which
    /// [`Membership::next_action`] hands out.
    pub fn coordinator(&mut self, now: Instant) -> Option<i32> {
        self.common.coordinator(now)
    }

    /// True if a commit can be sent: the coordinator is known, and a member that joins has joined.
    #[must_use]
    pub(super) fn takes_commits(&self) -> bool {
        self.common.coordinator.node().is_some() && (!self.stays() || self.identity().is_some())
    }

    /// True if it is, or will be, a member that does not leave.
    pub(super) fn stays(&self) -> bool {
        self.takes_part() && self.state() != MembershipState::Leaving
    }

    /// True if broker `node` is the coordinator, as far as is known.
    #[must_use]
    pub fn is_coordinator(&self, node: i32) -> bool {
        self.common.coordinator.node() == Some(node)
    }

    // --- state ---

    /// The state of the membership.
    #[must_use]
    pub fn state(&self) -> MembershipState {
        match &self.protocol {
            Protocol::Classic(classic) => classic.state(),
            Protocol::Consumer(consumer) => consumer.state(&self.common),
        }
    }

    /// The member id and generation by which the coordinator knows this consumer; `None` while it is not a member.
    #[must_use]
    pub fn identity(&self) -> Option<GroupMemberIdentity> {
        match &self.protocol {
            Protocol::Classic(classic) => classic.identity(&self.common),
            Protocol::Consumer(consumer) => consumer.identity(&self.common),
        }
    }

    /// The group's name.
    #[must_use]
    pub fn group(&self) -> &Arc<str> {
        &self.common.group
    }

    /// The owned partitions in order, including those being revoked.
    pub fn owned(&self) -> impl Iterator<Item = &TopicPartition> {
        self.common.ownership.owned()
    }

    /// The serial number of the assignment by which `partition` is owned: another one after it went away and came back.
    /// `None` when it is not owned.
    #[must_use]
    pub fn assignment_serial(&self, partition: &TopicPartition) -> Option<u64> {
        self.common.ownership.serial(partition)
    }

    /// When the last response came that confirmed the membership.
    #[must_use]
    pub fn heard_at(&self) -> Option<Instant> {
        self.common.heard_at
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &GroupConfig {
        &self.common.config
    }

    /// True if the coordinator may count this consumer as a member, which [`Membership::leave`] would end.
    #[must_use]
    pub fn may_have_place(&self) -> bool {
        let is_known = match &self.protocol {
            Protocol::Classic(classic) => classic.may_have_place(),
            Protocol::Consumer(consumer) => consumer.may_have_place(),
        };
        is_known || self.takes_part()
    }

    /// True while the consumer is a member, joining or leaving: its commits then carry a member id and generation.
    #[must_use]
    pub fn takes_part(&self) -> bool {
        match self.state() {
            MembershipState::Unsubscribed | MembershipState::Expelled | MembershipState::Failed => {
                false
            }
            MembershipState::Joining
            | MembershipState::Rebalancing
            | MembershipState::Stable
            | MembershipState::Leaving => true,
        }
    }

    fn advance(&mut self, now: Instant) {
        if self.takes_part()
            && let Some(measured) = self.common.poll.exceeded(now)
        {
            let error = GroupError::PollIntervalExceeded {
                group: Arc::clone(&self.common.group),
                limit: self.common.poll.limit(),
                measured,
            };
            self.common
                .events
                .push_back(GroupEvent::PollIntervalExceeded(error.clone()));
            speak!(self, protocol => protocol.expel(&mut self.common, now, error));
        }
        speak!(self, protocol => protocol.advance(&mut self.common, now));
        match self.takes_part() {
            true => self.common.look_up(now),
            false => self.common.lookup.end(),
        }
        // A member without a coordinator looks for one even before it has a request to send.
        if self.takes_part() || self.common.coordinator.is_wanted() {
            self.common.coordinator(now);
        }
    }

    fn search_error(&self, failure: RequestFailure) -> GroupError {
        const OPERATION: &str = "FindCoordinator";
        match failure {
            RequestFailure::Refused(code, message) => {
                self.common.refusal(OPERATION, code, message.as_deref())
            }
            RequestFailure::Retriable(cause)
            | RequestFailure::Unsupported(cause)
            | RequestFailure::Permanent(cause) => GroupError::Failed {
                group: Arc::clone(&self.common.group),
                operation: OPERATION,
                cause,
            },
        }
    }
}
