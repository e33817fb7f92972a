//! Brokers that refuse this client's login for good, and for how long records wait for them all the same: credentials
//! that were changed at one end are soon changed at the other.
//!
//! A refusal counts for those that wait for the broker when it is heard, and for nothing that comes later. Records fail
//! when one is heard, never by a timer: of a login that began after they had heard of the first.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Sender;
use super::queues::Queues;
use crate::error_kind::SecurityError;
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::OutgoingBatch;

/// A login that a broker has refused for good.
#[derive(Debug, Clone)]
pub struct RefusedLogin {
    /// What it said.
    pub error: SecurityError,
    /// When the login began, where that is known. Who asks soon after a refusal hears of it once more, without a login.
    pub began: Option<Instant>,
    /// How long records wait for the broker; `None` for as long as for any other.
    pub patience: Option<Duration>,
}

/// A broker that has refused every login since an instant, while something waited for it.
#[derive(Debug)]
struct Refusal {
    since: Instant,
    latest: RefusedLogin,
    /// Nothing that waits was told of the latest.
    is_news: bool,
}

/// By node.
#[derive(Debug, Default)]
pub(super) struct Refusals(BTreeMap<i32, Refusal>);

impl Refusals {
    /// Forgets brokers that nothing waits for any more.
    pub(super) fn keep(&mut self, queues: &Queues) {
        let is_awaited = |node: &i32| {
            let queue = queues.nodes.get(node);
            queue.is_some_and(|queue| !queue.ready.is_empty())
        };
        self.0.retain(|node, _| is_awaited(node));
    }

    /// What the broker that a batch waits for has said meanwhile.
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

impl Sender {
    /// A broker has refused a login for good, once more or for the first time. With patience, records that have waited
    /// so long for it, since they heard of the first refusal in a row, fail with that.
    pub fn login_refused(&mut self, now: Instant, node: i32, latest: RefusedLogin) {
        let since = self
            .refusals
            .0
            .get(&node)
            .map_or(now, |before| before.since);
        let refusal = Refusal {
            since,
            latest,
            is_news: true,
        };
        self.refusals.0.insert(node, refusal);
    }

    /// A broker has let this client in, or something else is wrong with it.
    pub fn login_possible(&mut self, node: i32) {
        self.refusals.0.remove(&node);
    }

    /// Tells what waits for brokers that have refused a login, and gives up what has waited long enough.
    pub(super) fn refuse_waiting(&mut self, now: Instant) {
        let mut refused = Vec::new();
        for (node, refusal) in &mut self.refusals.0 {
            if !std::mem::take(&mut refusal.is_news) {
                continue;
            }
            let RefusedLogin {
                began, patience, ..
            } = refusal.latest;
            let until = patience.and_then(|patience| now.checked_sub(patience));
            let until = until.zip(began).map(|(until, began)| until.min(began));
            let queue = self.queues.nodes.get(node);
            for buffer in queue.iter().flat_map(|queue| &queue.ready) {
                let mut state = buffer.lock();
                state.hear_refusal(now, refusal.since);
                let batches = until.map_or_else(Vec::new, |until| state.take_refused(until));
                let error = &refusal.latest.error;
                refused.extend(batches.into_iter().map(|batch| (batch, error.clone())));
            }
        }
        for (batch, error) in refused {
            self.refuse(now, batch, &error);
        }
    }

    /// A batch has waited long enough for a broker that refuses the login.
    pub(super) fn refuse(&mut self, now: Instant, batch: OutgoingBatch, error: &SecurityError) {
        let (topic, partition) = (batch.delivery.topic(), batch.delivery.partition());
        let waited = now.saturating_duration_since(batch.created).as_millis();
        let fate = match batch.sequence.is_some() || batch.attempts > 0 {
            true => "had left before and may be stored",
            false => "never left",
        };
        let cause = format!(
            "{}; after {waited} ms the records for {topic}-{partition} wait no longer: they {fate}",
            error.cause
        );
        let error = SecurityError {
            problem: error.problem,
            address: Arc::clone(&error.address),
            cause: cause.into(),
        };
        self.finish(batch, BatchOutcome::Failed(ProduceError::Security(error)));
    }
}
