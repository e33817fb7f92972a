//! The health of a consumer: what it last heard from its brokers and its application, and when.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::retry::Trouble;
use kafkars_core::group::MembershipState;

use super::handle::SubscriptionView;
use crate::consumer::handle::Consumer;
use crate::consumer::shared::ConsumerShared;
use crate::now;

/// A snapshot of a consumer's health. Times are how long ago something was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerHealth {
    /// True if the cluster is known and a connection to a broker is open.
    pub connected: bool,
    /// How many partitions are assigned.
    pub assigned: usize,
    /// The state of the membership; `None` without a group.
    pub state: Option<&'static str>,
    /// When the application polled last, to a few seconds.
    pub last_poll: Option<Duration>,
    /// When the coordinator last confirmed the membership.
    pub last_heartbeat: Option<Duration>,
    /// When a commit last succeeded.
    pub last_commit: Option<Duration>,
    /// Since when brokers have not answered fetches, or requests of the group.
    pub stuck_since: Option<Duration>,
    /// Partitions that cannot be read for now, the one with the longest trouble first. They are retried, each at its
    /// own pace.
    pub troubles: Vec<PartitionTrouble>,
    /// Topics subscribed by name that do not exist according to the brokers. They are read once they are created.
    pub unknown_topics: Vec<Arc<str>>,
}

/// Why a partition cannot be read for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionTrouble {
    /// The partition.
    pub partition: TopicPartition,
    /// Since when it cannot be read.
    pub since: Duration,
    /// How many tries have failed since.
    pub failures: u32,
    /// What was tried last.
    pub operation: &'static str,
    /// What the last try met.
    pub cause: Arc<str>,
}

impl Consumer {
    /// Describes the consumer's health. Never blocks.
    pub fn health(&self) -> ConsumerHealth {
        let now = now();
        let ago = |instant: Instant| now.saturating_duration_since(instant);
        let status = self
            .shared
            .group
            .as_ref()
            .map(|group| group.status.lock().clone());
        let (assigned, last_poll, troubles) = {
            let inner = self.shared.inner.lock();
            let buffer = &inner.buffer;
            (
                buffer.assignment().len(),
                inner.last_poll(),
                buffer.troubles(),
            )
        };
        let trouble = |(partition, trouble): (TopicPartition, Trouble)| PartitionTrouble {
            partition,
            since: ago(trouble.since),
            failures: trouble.failures,
            operation: trouble.operation,
            cause: trouble.cause,
        };
        let group = status.as_ref();
        ConsumerHealth {
            // An open connection is not enough: a port that accepts connections need not be a broker's.
            connected: self.shared.client.cluster().version > 0
                && self.shared.client.metrics().connections_open > 0,
            assigned,
            state: group.map(|status| status.state.name()),
            last_poll: last_poll.map(ago),
            last_heartbeat: group.and_then(|status| status.heard_at).map(ago),
            last_commit: group.and_then(|status| status.committed_at).map(ago),
            stuck_since: self.shared.silent_since().map(|(since, _)| ago(since)),
            troubles: troubles.into_iter().map(trouble).collect(),
            unknown_topics: match group.and_then(|status| status.subscription.as_ref()) {
                Some(SubscriptionView::Topics(topics)) => self.shared.client.unknown_among(topics),
                _ => Vec::new(),
            },
        }
    }

    /// The node id of the group's coordinator; `None` while it is unknown, and without a subscription.
    #[must_use]
    pub fn coordinator(&self) -> Option<i32> {
        self.shared.group.as_ref()?.coordinator()
    }

    /// The error of a consumer that has been silent for longer than `stuck_timeout_ms`, if it has one.
    pub fn stuck(&self) -> Option<FetchError> {
        let limit = self.shared.config.stuck_timeout?;
        let (since, what) = self.shared.silent_since()?;
        let measured = now().saturating_duration_since(since);
        let cause = || {
            let troubles = self.shared.inner.lock().buffer.troubles();
            match troubles.first() {
                Some((partition, trouble)) => format!(
                    "{} of {partition} has failed {} times: {}",
                    trouble.operation, trouble.failures, trouble.cause
                )
                .into(),
                None => "the brokers may be down or unreachable".into(),
            }
        };
        (measured >= limit).then(|| FetchError::Stuck {
            what,
            limit,
            measured,
            cause: cause(),
        })
    }
}

impl ConsumerShared {
    /// Since when nothing was heard that was due, and of what. A fetch may wait at the broker for `fetch_max_wait_ms`,
    /// and a heartbeat comes after its interval, so a shorter silence says nothing.
    pub(super) fn silent_since(&self) -> Option<(Instant, &'static str)> {
        let usual = self.config.fetch_max_wait * 2 + Duration::from_secs(1);
        let now = now();
        let fetch = {
            let inner = self.inner.lock();
            let silent = inner.buffer.silent_since(inner.requested_at);
            silent.filter(|since| now.saturating_duration_since(*since) > usual)
        };
        let is_by_hand = self.is_assigned_by_hand();
        let group = self.group.as_ref().and_then(|group| {
            let status = group.status.lock();
            let expects = match status.state {
                MembershipState::Unsubscribed | MembershipState::Expelled => false,
                // A consumer with partitions assigned by hand does not wait for the end of an earlier subscription.
                MembershipState::Leaving => !is_by_hand,
                _ => true,
            };
            let since = status
                .heard_at
                .or(status.subscribed_at)
                .filter(|_| expects)?;
            let usual = group.config.heartbeat_interval * 2 + Duration::from_secs(1);
            (now.saturating_duration_since(since) > usual).then_some(since)
        });
        let fetch = fetch.map(|since| (since, "partitions that are to be read"));
        let group = group.map(|since| (since, "the group's coordinator"));
        [fetch, group].into_iter().flatten().min()
    }
}
