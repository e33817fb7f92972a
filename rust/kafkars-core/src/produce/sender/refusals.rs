//! Brokers that refuse this client's login for good, and since when.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::queues::Queues;
use crate::error_kind::SecurityError;
use crate::produce::partition_buffer::OutgoingBatch;

/// A login that a broker has refused for good.
#[derive(Debug, Clone)]
pub struct RefusedLogin {
    /// The error of the login.
    pub error: SecurityError,
    /// When the login began. `None` where the error of an earlier login is reported once more, as soon after a refusal.
    pub began: Option<Instant>,
    /// How long records wait for the broker; `None`: as long as for any other.
    pub grace: Option<Duration>,
}

/// A broker that has refused every login since some moment, while records waited for it.
#[derive(Debug)]
pub(super) struct LoginRefusal {
    pub(super) since: Instant,
    pub(super) latest: RefusedLogin,
    /// True while the records that wait were not told of the latest refusal.
    is_unreported: bool,
}

/// The brokers that refuse the login, by node id.
#[derive(Debug, Default)]
pub(super) struct Refusals(BTreeMap<i32, LoginRefusal>);

impl Refusals {
    /// Notes that a login was refused, once more or for the first time.
    pub(super) fn note(&mut self, now: Instant, node: i32, latest: RefusedLogin) {
        let since = self.0.get(&node).map_or(now, |before| before.since);
        let refusal = LoginRefusal {
            since,
            latest,
            is_unreported: true,
        };
        self.0.insert(node, refusal);
    }

    /// Notes that the broker refuses this client's login no longer.
    pub(super) fn forget(&mut self, node: i32) {
        self.0.remove(&node);
    }

    /// Returns the refusals that no records were told of yet, by node id.
    pub(super) fn take_unreported(&mut self) -> impl Iterator<Item = (i32, &LoginRefusal)> {
        let refusals = self.0.iter_mut();
        refusals.filter_map(|(node, refusal)| {
            std::mem::take(&mut refusal.is_unreported).then_some((*node, &*refusal))
        })
    }

    /// Forgets brokers that nothing waits for any more.
    pub(super) fn keep(&mut self, queues: &Queues) {
        let is_awaited = |node: &i32| {
            let queue = queues.nodes.get(node);
            queue.is_some_and(|queue| !queue.ready.is_empty())
        };
        self.0.retain(|node, _| is_awaited(node));
    }

    /// Returns the refusal of the broker that a batch waits for, if it has reached the batch.
    pub(super) fn heard_by(
        &self,
        batch: &OutgoingBatch,
        node: Option<i32>,
    ) -> Option<&SecurityError> {
        let refusal = self.0.get(&node?)?;
        let is_heard = batch.refused.is_some_and(|first| first >= refusal.since);
        is_heard.then_some(&refusal.latest.error)
    }
}
