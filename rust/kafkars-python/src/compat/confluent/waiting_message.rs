//! A message whose topic is not known yet. It waits in the engine, because `produce()` never waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kafkars_client::{Delivery, PendingSend, ProduceError, Producer, SendError, SendPermit};
use parking_lot::Mutex;

use super::reports::{DeliveryReports, MessageReport};
use crate::producer::OwnedRecord;

/// What all waiting messages of one producer share.
pub(super) struct WaitingMessages {
    pub(super) producer: Producer,
    pub(super) reports: Arc<DeliveryReports>,
    /// `topic.metadata.propagation.max.ms`.
    pub(super) propagation: Duration,
    /// `message.timeout.ms`.
    pub(super) timeout: Duration,
    /// How many messages of the open transaction failed before they entered the producer: it must not be committed
    /// then.
    pub(super) lost: AtomicUsize,
    /// Whether a commit was refused because of them: nothing but an abort is possible then.
    pub(super) must_abort: AtomicBool,
}

/// A message that waits.
pub(super) struct WaitingMessage {
    record: OwnedRecord,
    // Guards the report, which is made once.
    report: Mutex<Option<MessageReport>>,
    waiting: Arc<WaitingMessages>,
}

impl WaitingMessage {
    pub(super) fn new(
        record: OwnedRecord,
        report: Option<MessageReport>,
        waiting: &Arc<WaitingMessages>,
    ) -> Self {
        Self {
            record,
            report: Mutex::new(report),
            waiting: Arc::clone(waiting),
        }
    }
}

impl PendingSend for WaitingMessage {
    fn topic(&self) -> &str {
        &self.record.topic
    }

    fn count(&self) -> usize {
        1
    }

    fn size(&self) -> usize {
        self.record.size()
    }

    fn is_placed(&self) -> bool {
        true
    }

    fn topic_known(&self) {}

    fn propagation(&self) -> Option<Duration> {
        Some(self.waiting.propagation)
    }

    /// False, because librdkafka accepts further messages after one that was lost, and refuses the commit.
    fn fails_transaction(&self) -> bool {
        false
    }

    fn try_send(&self, permit: SendPermit) -> Result<Delivery, SendError> {
        let producer = &self.waiting.producer;
        self.record
            .with(|record| producer.try_send_permitted(record, permit))
    }

    fn settled(&self, outcome: Result<Delivery, ProduceError>) {
        if outcome.is_err() {
            self.waiting.lost.fetch_add(1, Ordering::AcqRel);
        }
        match (self.report.lock().take(), outcome) {
            (None, Ok(delivery)) => self.waiting.reports.count_silent_batch(&delivery),
            (None, Err(_)) => self.waiting.reports.count_silent(),
            (Some(report), Ok(delivery)) => self.waiting.reports.note(report, delivery),
            (Some(report), Err(failure)) => self.waiting.reports.fail(report, failure),
        }
    }
}
