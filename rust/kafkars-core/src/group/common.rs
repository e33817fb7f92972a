//! What both group protocols share: settings, the coordinator, owned partitions, pending actions and events.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;

use super::action::{Action, GroupCall, GroupRequest, RequestFailure, RequestId};
use super::coordinator::CoordinatorSearch;
use super::error::GroupError;
use super::event::{Change, GroupEvent};
use super::gone_topics::GoneTopics;
use super::lookup::TopicLookup;
use super::member::Subscription;
use super::ownership::Ownership;
use super::pace::{Pace, Permit};
use super::poll_clock::PollClock;
use crate::backoff::Random;
use crate::cluster::Cluster;
use crate::config::{Checked, GroupConfig, TopicPartition};

/// The state that the classic and the consumer protocol share.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) config: Checked<GroupConfig>,
    /// What log lines call the client.
    pub(super) client: Arc<str>,
    pub(super) group: Arc<str>,
    pub(super) instance: Option<Arc<str>>,
    pub(super) subscription: Option<Subscription>,
    pub(super) cluster: Cluster,
    /// As leader in the classic protocol: topics that are gone.
    pub(super) gone: GoneTopics,
    pub(super) coordinator: CoordinatorSearch,
    pub(super) lookup: TopicLookup,
    /// The pace of LeaveGroup requests, or of last heartbeats in the consumer protocol.
    pub(super) leaves: Pace,
    /// True while accepted commits are unfinished. The member leaves only after them: the coordinator refuses commits
    /// of a member that has left.
    pub(super) is_committing: bool,
    /// True while some of these commits were made before the subscription, without a member id. The coordinator refuses
    /// those once the group has members, so the member joins after them.
    pub(super) joins_later: bool,
    /// Why FindCoordinator was refused while there was no membership to fail with that error; waiting commits end with
    /// it.
    pub(super) search_failure: Option<RequestFailure>,
    pub(super) poll: PollClock,
    pub(super) ownership: Ownership,
    /// When the last response came that confirmed the membership.
    pub(super) heard_at: Option<Instant>,
    /// The cause of the last failed attempt.
    pub(super) last_cause: Arc<str>,
    pub(super) random: Random,
    pub(super) actions: VecDeque<Action>,
    pub(super) events: VecDeque<GroupEvent>,
    next_request: u64,
}

impl Common {
    pub(super) fn new(config: Checked<GroupConfig>, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut pace = || Pace::new(&config, &mut random);
        let (search, lookup, leaves) = (pace(), pace(), pace());
        Self {
            client: Arc::default(),
            group: config.group_id.as_str().into(),
            instance: config.group_instance_id.as_deref().map(Arc::from),
            subscription: None,
            cluster: Cluster::default(),
            gone: GoneTopics::default(),
            coordinator: CoordinatorSearch::new(search),
            lookup: TopicLookup::new(lookup),
            leaves,
            is_committing: false,
            joins_later: false,
            search_failure: None,
            poll: PollClock::new(config.max_poll_interval),
            ownership: Ownership::default(),
            heard_at: None,
            last_cause: "the coordinator was not heard yet".into(),
            random,
            actions: VecDeque::new(),
            events: VecDeque::new(),
            next_request: 0,
            config,
        }
    }

    /// The subscribed topics by name; empty with a pattern.
    pub(super) fn topics(&self) -> BTreeSet<Arc<str>> {
        match &self.subscription {
            Some(Subscription::Topics(topics)) => topics.clone(),
            Some(Subscription::Pattern(_)) | None => BTreeSet::new(),
        }
    }

    /// True if a join may be sent: no partition is being revoked or lost, and no earlier commit waits.
    pub(super) fn may_join(&self) -> bool {
        self.ownership.is_settled() && !self.joins_later
    }

    /// Returns the coordinator's node id; while it is unknown, queues FindCoordinator when that is due.
    pub(super) fn coordinator(&mut self, now: Instant) -> Option<i32> {
        if let Some(node) = self.coordinator.node() {
            return Some(node);
        }
        if self.coordinator.ask(now) {
            self.actions.push_back(Action::FindCoordinator);
        }
        None
    }

    /// Notes that broker `node` is not the group's coordinator any more, or cannot be reached.
    pub(super) fn coordinator_lost(&mut self, now: Instant, node: i32) {
        self.coordinator.lost(now, node);
    }

    /// Notes that the coordinator has confirmed the membership.
    pub(super) fn heard(&mut self, now: Instant) {
        self.heard_at = Some(now);
        self.coordinator.served();
    }

    /// Queues a metadata look-up of wanted topics that are not known, if one is due.
    pub(super) fn look_up(&mut self, now: Instant) {
        self.actions.extend(self.lookup.next(now));
    }

    /// Creates a separate pace for one kind of request.
    pub(super) fn pace(&mut self) -> Pace {
        Pace::new(&self.config, &mut self.random)
    }

    pub(super) fn request_id(&mut self) -> RequestId {
        self.next_request += 1;
        RequestId(self.next_request)
    }

    /// Sends a request to the coordinator at `node`.
    pub(super) fn send(
        &mut self,
        _permit: Permit,
        node: i32,
        request: GroupRequest,
        timeout: Duration,
        held_back: bool,
    ) -> RequestId {
        let id = self.request_id();
        self.actions.push_back(Action::Send(GroupCall {
            id,
            node,
            request,
            timeout,
            held_back,
        }));
        id
    }

    /// Hands partitions to the application.
    pub(super) fn assign(&mut self, partitions: Vec<TopicPartition>) {
        self.assign_in(partitions, false);
    }

    /// As `assign`, of a generation; `rejoins` is [`Change::rejoins`].
    pub(super) fn assign_in(&mut self, partitions: Vec<TopicPartition>, rejoins: bool) {
        let change = self.ownership.assign(partitions);
        let change = Change { rejoins, ..change };
        self.events.push_back(GroupEvent::Change(change));
    }

    /// Asks the application to give up the owned partitions for which `gone` is true. Returns false if there are none.
    pub(super) fn revoke(&mut self, gone: impl FnMut(&TopicPartition) -> bool) -> bool {
        let change = self.ownership.revoke(gone);
        let is_any = change.is_some();
        self.events.extend(change.map(GroupEvent::Change));
        is_any
    }

    /// As `revoke`, in order to join again. Returns false if there are none.
    pub(super) fn revoke_to_join(&mut self, gone: impl FnMut(&TopicPartition) -> bool) -> bool {
        let change = self.ownership.revoke(gone);
        let is_any = change.is_some();
        let change = change.map(|change| Change {
            rejoins: true,
            ..change
        });
        self.events.extend(change.map(GroupEvent::Change));
        is_any
    }

    /// Ends the ownership of all partitions at once: other members may own them already.
    pub(super) fn lose(&mut self, error: GroupError) {
        let change = self.ownership.lose(error);
        self.events.extend(change.map(GroupEvent::Change));
    }

    /// Notes that the coordinator has fenced the member: its partitions are lost.
    pub(super) fn fenced(&mut self, code: ErrorCode) {
        self.last_cause = code.name().into();
        self.lose(GroupError::Fenced {
            group: Arc::clone(&self.group),
            code,
        });
    }

    /// The error for a broker's refusal that no retry will mend.
    pub(super) fn refusal(
        &self,
        operation: &'static str,
        code: ErrorCode,
        message: Option<&str>,
    ) -> GroupError {
        let group = Arc::clone(&self.group);
        let message: Arc<str> = message.unwrap_or_else(|| code.description()).into();
        let protocol = self.config.group_protocol.name();
        let instance = || self.instance.clone().unwrap_or_else(|| "".into());
        match code {
            ErrorCode::GroupAuthorizationFailed => GroupError::Unauthorized { group },
            ErrorCode::TopicAuthorizationFailed => GroupError::TopicUnauthorized { group, message },
            ErrorCode::FencedInstanceId if self.instance.is_some() => GroupError::FencedInstance {
                group,
                instance: instance(),
            },
            // A member without an instance id cannot be fenced by one: the answer makes no sense, so it is not fatal.
            ErrorCode::FencedInstanceId => GroupError::Failed {
                group,
                operation,
                cause: format!(
                    "{} about a consumer without a group_instance_id",
                    code.name()
                )
                .into(),
            },
            ErrorCode::GroupIdNotFound => GroupError::OtherProtocol {
                group,
                code,
                protocol,
                message,
            },
            ErrorCode::UnsupportedVersion => GroupError::Unsupported {
                group,
                protocol,
                cause: message,
            },
            ErrorCode::InvalidSessionTimeout => GroupError::InvalidSessionTimeout {
                session_timeout: self.config.session_timeout,
            },
            ErrorCode::GroupMaxSizeReached => GroupError::GroupFull { group },
            ErrorCode::UnsupportedAssignor => GroupError::UnsupportedAssignor {
                assignor: self
                    .config
                    .group_remote_assignor
                    .as_deref()
                    .unwrap_or("")
                    .into(),
                message,
            },
            ErrorCode::InvalidRegularExpression => GroupError::InvalidPattern {
                pattern: match &self.subscription {
                    Some(Subscription::Pattern(pattern)) => Arc::clone(pattern),
                    Some(Subscription::Topics(_)) | None => "".into(),
                },
                message,
            },
            _ => GroupError::Broker {
                group,
                operation,
                code,
                message,
            },
        }
    }
}
