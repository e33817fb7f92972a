//! Records that were not stored, and whose fate nobody has asked about: a few lines in the log, however many they are.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use kafkars_core::produce::delivery::BatchDelivery;
use kafkars_core::produce::error::ProduceError;
use parking_lot::Mutex;

/// After this time without a line, there is one for the next batch.
const PAUSE: Duration = Duration::from_secs(60);

/// A topic, and the partition where one was chosen.
type UnheardPartition = (Arc<str>, Option<i32>);

/// What has failed unheard, by partition.
#[derive(Default)]
pub(crate) struct UnheardFailures {
    counts: Mutex<HashMap<UnheardPartition, Count>>,
}

struct Count {
    batches: u64,
    /// Since the last line, and what the latest of them met.
    records: u64,
    cause: ProduceError,
    last_line: Option<Instant>,
}

/// What the end of the program has to look at: it does not take apart what the program still holds.
static AT_EXIT: Mutex<AtExit> = Mutex::new(AtExit {
    failures: Vec::new(),
    counts: Vec::new(),
});

struct AtExit {
    failures: Vec<Weak<BatchDelivery>>,
    counts: Vec<Weak<UnheardFailures>>,
}

/// Tells what nobody has asked about until now, and will not: the program ends.
pub fn tell_unheard_failures() {
    let (failures, counts) = {
        let mut at_exit = AT_EXIT.lock();
        (
            std::mem::take(&mut at_exit.failures),
            std::mem::take(&mut at_exit.counts),
        )
    };
    for failure in failures.iter().filter_map(Weak::upgrade) {
        failure.tell_unheard();
    }
    for counts in counts.iter().filter_map(Weak::upgrade) {
        counts.tell_rest();
    }
}

/// Puts one more into a list, out of which those that are gone go before it grows.
fn remember<T>(list: &mut Vec<Weak<T>>, one: &Arc<T>) {
    if list.len() == list.capacity() {
        list.retain(|each| each.strong_count() > 0);
    }
    list.push(Arc::downgrade(one));
}

impl UnheardFailures {
    /// Whether a call of the application has told it already: one that gave the records up has counted them.
    pub(crate) fn is_told_otherwise(error: &ProduceError) -> bool {
        matches!(
            error,
            ProduceError::Purged { .. }
                | ProduceError::Aborted
                | ProduceError::Transaction(_)
                | ProduceError::Closed
        )
    }

    /// Empty, and known to the end of the program.
    pub(crate) fn new() -> Arc<Self> {
        let made = Arc::new(Self::default());
        remember(&mut AT_EXIT.lock().counts, &made);
        made
    }

    /// Lets the end of the program look at a batch that has failed and that somebody still holds.
    pub(crate) fn remember(batch: &Arc<BatchDelivery>) {
        remember(&mut AT_EXIT.lock().failures, batch);
    }

    /// Counts a batch, and logs at the 1st, 2nd, 4th, 8th and so on of a partition, and after a pause. What never
    /// entered a batch has no partition.
    pub(crate) fn tell(
        &self,
        topic: &Arc<str>,
        partition: Option<i32>,
        records: u32,
        cause: &ProduceError,
    ) {
        let now = crate::now();
        let records = {
            let mut counts = self.counts.lock();
            let count = counts
                .entry((Arc::clone(topic), partition))
                .or_insert(Count {
                    batches: 0,
                    records: 0,
                    cause: cause.clone(),
                    last_line: None,
                });
            count.batches += 1;
            count.records += u64::from(records);
            count.cause = cause.clone();
            let is_due = |last: Instant| now.saturating_duration_since(last) >= PAUSE;
            if !count.batches.is_power_of_two() && !count.last_line.is_none_or(is_due) {
                return;
            }
            count.last_line = Some(now);
            std::mem::take(&mut count.records)
        };
        log(topic, partition, records, cause);
    }

    /// Logs what has been counted since the last lines.
    fn tell_rest(&self) {
        let mut rest = Vec::new();
        for ((topic, partition), count) in &mut *self.counts.lock() {
            let records = std::mem::take(&mut count.records);
            if records > 0 {
                rest.push((Arc::clone(topic), *partition, records, count.cause.clone()));
            }
        }
        for (topic, partition, records, cause) in rest {
            log(&topic, partition, records, &cause);
        }
    }
}

impl Drop for UnheardFailures {
    fn drop(&mut self) {
        self.tell_rest();
    }
}

fn log(topic: &str, partition: Option<i32>, records: u64, cause: &ProduceError) {
    tracing::warn!(
        target: "kafkars::producer",
        %topic,
        partition,
        records,
        %cause,
        "records were not stored, and nobody has asked what became of them"
    );
}
