//! The face: one membership, whichever protocol it speaks.

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

/// The same call on whichever protocol it is.
macro_rules! speak {
    ($self:ident, $protocol:ident => $call:expr) => {
        match &mut $self.protocol {
            Protocol::Classic($protocol) => $call,
            Protocol::Consumer($protocol) => $call,
        }
    };
}

impl Membership {
    /// Not subscribed. `assignors` is `partition_assignment_strategy` in order of preference (classic protocol; without
    /// any, range and cooperative-sticky as everywhere in Kafka). `seed` should differ from process to process:
    /// back-off and member ids come from it.
    #[must_use]
    pub fn new(config: Checked<GroupConfig>, assignors: Vec<Arc<dyn Assignor>>, seed: u64) -> Self {
        let mut common = Common::new(config, seed);
        let protocol = match common.config.group_protocol {
            GroupProtocol::Classic => {
                Protocol::Classic(ClassicMembership::new(&mut common, assignors))
            }
            GroupProtocol::Consumer => Protocol::Consumer(ConsumerMembership::new(&mut common)),
        };
        Self { common, protocol }
    }

    // --- commands of the application ---

    /// Reads these topics from now on, instead of those before.
    ///
    /// # Errors
    /// A pattern with the classic protocol; the membership is as it was then.
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

    /// Gives up everything and leaves; [`GroupEvent::Left`] is the end of it.
    pub fn leave(&mut self, now: Instant, leave: Leave) {
        self.common.subscription = None;
        // One who comes back only to say goodbye need not have polled.
        if !self.takes_part() {
            self.common.poll.polled(now);
        }
        speak!(self, protocol => protocol.leave(&mut self.common, now, leave));
        self.advance(now);
    }

    /// The application took records, or asked for some. Cheap, but not meant for every record: a few times per
    /// `max_poll_interval_ms` is enough.
    pub fn polled(&mut self, now: Instant) {
        // A gap that nobody has looked at yet is still too long.
        self.advance(now);
        self.common.poll.polled(now);
        speak!(self, protocol => protocol.polled(&mut self.common, now));
        self.advance(now);
    }

    /// The application waits for records inside a call (`true`), or that call has ended (`false`). While it waits the
    /// poll interval does not run.
    pub fn waiting(&mut self, now: Instant, is_waiting: bool) {
        self.polled(now);
        self.common.poll.waiting(now, is_waiting);
    }

    /// The application has carried out a [`super::Change`].
    pub fn change_done(&mut self, now: Instant, id: ChangeId) {
        if self.common.ownership.done(id) {
            speak!(self, protocol => protocol.change_done(&mut self.common, now));
        }
        self.advance(now);
    }

    /// Rebalances though nothing calls for it (KIP-568). False with the consumer protocol, where the coordinator
    /// decides.
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

    // --- news ---

    /// The cluster as known now.
    pub fn cluster_changed(&mut self, now: Instant, cluster: &Cluster) {
        self.common.cluster = cluster.clone();
        self.common.lookup.cluster_changed(cluster);
        speak!(self, protocol => protocol.cluster_changed(&mut self.common, now));
        self.advance(now);
    }

    /// The outcome of [`Action::FindCoordinator`].
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
                // Commits of one who leaves end with what they hear now.
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

    /// A request was answered. Late answers to requests that no longer matter are ignored.
    pub fn answered(&mut self, now: Instant, id: RequestId, response: GroupResponse) {
        speak!(self, protocol => protocol.answered(&mut self.common, now, id, response));
        self.advance(now);
    }

    /// A request has no answer.
    pub fn failed(&mut self, now: Instant, id: RequestId, failure: RequestFailure) {
        speak!(self, protocol => protocol.failed(&mut self.common, now, id, failure));
        self.advance(now);
    }

    /// The outcome of [`Action::Assign`].
    pub fn assignor_finished(&mut self, now: Instant, id: RequestId, outcome: AssignorOutcome) {
        if let Protocol::Classic(classic) = &mut self.protocol {
            classic.assignor_finished(&mut self.common, now, id, outcome);
        }
        self.advance(now);
    }

    /// No broker lets this client in, or the coordinator does not: one who leaves tries to say so no longer.
    pub fn leave_unsaid(&mut self, now: Instant) {
        speak!(self, protocol => protocol.leave_unsaid());
        self.advance(now);
    }

    /// The broker at `node` refused something else (a commit) because it does not coordinate the group, or cannot be
    /// reached.
    pub fn coordinator_lost(&mut self, now: Instant, node: i32) {
        self.common.coordinator_lost(now, node);
        self.advance(now);
    }

    /// The coordinator refused something else (a commit) that `identity` made, because of who that is.
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

    /// The coordinator has taken something else (a commit).
    pub(super) fn coordinator_served(&mut self) {
        self.common.coordinator.served();
    }

    /// Whether commits wait that were accepted. The member does not leave before, nor is it told to have left: the
    /// coordinator would refuse them. `joins_later` tells whether some of them were made before the subscription.
    pub(super) fn note_commits(&mut self, now: Instant, are_waiting: bool, joins_later: bool) {
        let common = &mut self.common;
        let ends = common.is_committing && !are_waiting || common.joins_later && !joins_later;
        common.is_committing = are_waiting;
        common.joins_later = joins_later;
        if ends {
            self.advance(now);
        }
    }

    /// Why the last search for the coordinator was refused, once, where no membership has failed of it.
    pub(super) fn take_search_failure(&mut self) -> Option<RequestFailure> {
        self.common.search_failure.take()
    }

    // --- what to do ---

    /// What to do now; call until `None`.
    pub fn next_action(&mut self, now: Instant) -> Option<Action> {
        self.advance(now);
        self.common.actions.pop_front()
    }

    /// What to tell the application; call until `None`.
    pub fn next_event(&mut self) -> Option<GroupEvent> {
        if self.common.is_committing && matches!(self.common.events.front(), Some(GroupEvent::Left))
        {
            return None;
        }
        self.common.events.pop_front()
    }

    /// When to ask for actions again though nothing happened; `None`: only when something has.
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

    /// The coordinator, for commits. When it is unknown it is searched for, which needs [`Membership::next_action`].
    pub fn coordinator(&mut self, now: Instant) -> Option<i32> {
        self.common.coordinator(now)
    }

    /// Whether the broker at `node` is the coordinator, as far as is known.
    #[must_use]
    pub fn is_coordinator(&self, node: i32) -> bool {
        self.common.coordinator.node() == Some(node)
    }

    // --- what it is like ---

    /// How far the membership is.
    #[must_use]
    pub fn state(&self) -> MembershipState {
        match &self.protocol {
            Protocol::Classic(classic) => classic.state(),
            Protocol::Consumer(consumer) => consumer.state(&self.common),
        }
    }

    /// Who this member is to the coordinator; `None` while it is none.
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

    /// What the member owns, in order; partitions that are being given up belong to it.
    pub fn owned(&self) -> impl Iterator<Item = &TopicPartition> {
        self.common.ownership.owned()
    }

    /// Which assignment of `partition` this is; another one after it went and came back. `None` when it is not owned.
    #[must_use]
    pub fn assignment_serial(&self, partition: &TopicPartition) -> Option<u64> {
        self.common.ownership.serial(partition)
    }

    /// When an answer of the coordinator confirmed the membership last.
    #[must_use]
    pub fn heard_at(&self) -> Option<Instant> {
        self.common.heard_at
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &GroupConfig {
        &self.common.config
    }

    /// Whether the coordinator may hold a place for this member, which [`Membership::leave`] would give up.
    #[must_use]
    pub fn may_have_place(&self) -> bool {
        let is_known = match &self.protocol {
            Protocol::Classic(classic) => classic.may_have_place(),
            Protocol::Consumer(consumer) => consumer.may_have_place(),
        };
        is_known || self.takes_part()
    }

    /// Whether the subscription or a membership is in force: commits then carry an identity.
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
        // A member without coordinator looks for it before it has something to say.
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
