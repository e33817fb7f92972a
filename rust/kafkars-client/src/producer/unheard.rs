//! Logs records that were not stored and whose outcome nobody has asked for, in a few lines however many they are.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use kafkars_core::produce::delivery::BatchDelivery;
use kafkars_core::produce::error::ProduceError;
use parking_lot::Mutex;

/// After this time without a line, the next batch is logged.
const PAUSE: Duration = Duration::from_secs(60);

/// A topic, and the partition if one was chosen.
type UnheardPartition = (Arc<str>, Option<i32>);

/// Failures that nobody has asked about, by partition.
pub(crate) struct UnheardFailures {
    /// What log lines call the client.
    client: Arc<str>,
    counts: Mutex<HashMap<UnheardPartition, Count>>,
}

struct Count {
    batches: u64,
    /// Records since the last line, and the failure of the latest of them.
    records: u64,
    cause: ProduceError,
    last_line: Option<Instant>,
}

/// What is looked at when the program ends, because objects that it still holds are not dropped then.
static AT_EXIT: Mutex<AtExit> = Mutex::new(AtExit {
    failures: Vec::new(),
    counts: Vec::new(),
});

struct AtExit {
    failures: Vec<Weak<BatchDelivery>>,
    counts: Vec<Weak<UnheardFailures>>,
}

/// Logs the failures that nobody has asked about until the end of the program. To be called at that end.
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

/// Adds one to a list; before the list grows, entries that are gone are removed.
fn remember<T>(list: &mut Vec<Weak<T>>, one: &Arc<T>) {
    if list.len() == list.capacity() {
        list.retain(|each| each.strong_count() > 0);
    }
    list.push(Arc::downgrade(one));
}

impl UnheardFailures {
    /// True if a call of the application has reported the failure: a call that gave the records up has counted them.
    pub(crate) fn is_told_otherwise(error: &ProduceError) -> bool {
        matches!(
            error,
            ProduceError::Purged { .. }
                | ProduceError::Aborted
                | ProduceError::Transaction(_)
                | ProduceError::Closed
        )
    }

    /// Makes an empty one, which [`tell_unheard_failures`] will look at.
    pub(crate) fn new(client: &Arc<str>) -> Arc<Self> {
        let made = Arc::new(Self {
            client: Arc::clone(client),
            counts: Mutex::default(),
        });
        remember(&mut AT_EXIT.lock().counts, &made);
        made
    }

    /// Lets [`tell_unheard_failures`] look at a batch that has failed and that somebody still holds.
    pub(crate) fn remember(batch: &Arc<BatchDelivery>) {
        remember(&mut AT_EXIT.lock().failures, batch);
    }

    /// Counts a failed batch, and logs the 1st, 2nd, 4th, 8th and so on of a partition, and the first after a pause.
    /// Records that never entered a batch may have no partition.
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
        self.log(topic, partition, records, cause);
    }

    /// Logs what was counted since the last lines.
    fn tell_rest(&self) {
        let mut rest = Vec::new();
        for ((topic, partition), count) in &mut *self.counts.lock() {
            let records = std::mem::take(&mut count.records);
            if records > 0 {
                rest.push((Arc::clone(topic), *partition, records, count.cause.clone()));
            }
        }
        for (topic, partition, records, cause) in rest {
            self.log(&topic, partition, records, &cause);
        }
    }

    fn log(&self, topic: &str, partition: Option<i32>, records: u64, cause: &ProduceError) {
        tracing::warn!(
            target: "kafkars::producer",
            client = %self.client,
            %topic,
            partition,
            records,
            %cause,
            "records were not stored, and nobody has asked what became of them"
        );
    }
}

impl Drop for UnheardFailures {
    fn drop(&mut self) {
        self.tell_rest();
    }
}
