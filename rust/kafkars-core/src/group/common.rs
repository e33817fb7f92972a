//! What both protocols need: settings, the coordinator, what is owned, what is to be done and told.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;

use super::action::{Action, GroupCall, GroupRequest, RequestFailure, RequestId};
use super::coordinator::CoordinatorSearch;
use super::error::GroupError;
use super::event::GroupEvent;
use super::lookup::TopicLookup;
use super::member::Subscription;
use super::ownership::Ownership;
use super::pace::{Pace, Permit};
use super::poll_clock::PollClock;
use crate::backoff::Random;
use crate::cluster::Cluster;
use crate::config::{Checked, GroupConfig, TopicPartition};

/// The state that is the same in both protocols.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) config: Checked<GroupConfig>,
    pub(super) group: Arc<str>,
    pub(super) instance: Option<Arc<str>>,
    pub(super) subscription: Option<Subscription>,
    pub(super) cluster: Cluster,
    pub(super) coordinator: CoordinatorSearch,
    pub(super) lookup: TopicLookup,
    /// For saying goodbye.
    pub(super) leaves: Pace,
    /// Commits wait that were accepted before: the coordinator would refuse them once the member has left.
    pub(super) is_committing: bool,
    /// Some of them were made before the subscription, by nobody in particular. The coordinator would refuse them once
    /// the group has a member, so the member joins afterwards.
    pub(super) joins_later: bool,
    /// Why the search for the coordinator was refused where there is no membership that could fail of it, for commits.
    pub(super) search_failure: Option<RequestFailure>,
    pub(super) poll: PollClock,
    pub(super) ownership: Ownership,
    /// When an answer of the coordinator confirmed the membership last.
    pub(super) heard_at: Option<Instant>,
    /// What the last failed try met.
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
            group: config.group_id.as_str().into(),
            instance: config.group_instance_id.as_deref().map(Arc::from),
            subscription: None,
            cluster: Cluster::default(),
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

    /// Whether a join may leave: nothing is still to be given up or committed before.
    pub(super) fn may_join(&self) -> bool {
        self.ownership.is_settled() && !self.joins_later
    }

    /// The coordinator, or a search for it.
    pub(super) fn coordinator(&mut self, now: Instant) -> Option<i32> {
        if let Some(node) = self.coordinator.node() {
            return Some(node);
        }
        if self.coordinator.ask(now) {
            self.actions.push_back(Action::FindCoordinator);
        }
        None
    }

    /// The broker at `node` does not coordinate the group any more, or cannot be reached.
    pub(super) fn coordinator_lost(&mut self, now: Instant, node: i32) {
        self.coordinator.lost(now, node);
    }

    /// The coordinator has confirmed the membership.
    pub(super) fn heard(&mut self, now: Instant) {
        self.heard_at = Some(now);
        self.coordinator.served();
    }

    /// Looks up what is wanted and not known, when it is time.
    pub(super) fn look_up(&mut self, now: Instant) {
        self.actions.extend(self.lookup.next(now));
    }

    /// A pace of its own for requests of another kind.
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
        let change = self.ownership.assign(partitions);
        self.events.push_back(GroupEvent::Change(change));
    }

    /// Asks the application to give up those partitions of which `gone` says so.
    pub(super) fn revoke(&mut self, gone: impl FnMut(&TopicPartition) -> bool) {
        let change = self.ownership.revoke(gone);
        self.events.extend(change.map(GroupEvent::Change));
    }

    /// Nothing is owned any more.
    pub(super) fn lose(&mut self, error: GroupError) {
        let change = self.ownership.lose(error);
        self.events.extend(change.map(GroupEvent::Change));
    }

    /// The member was thrown out.
    pub(super) fn fenced(&mut self, code: ErrorCode) {
        self.last_cause = code.name().into();
        self.lose(GroupError::Fenced {
            group: Arc::clone(&self.group),
            code,
        });
    }

    /// What a broker's refusal means when no try will mend it.
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
            // Nobody can take an instance id from a member that has none: the answer makes no sense, and the member
            // goes on.
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
