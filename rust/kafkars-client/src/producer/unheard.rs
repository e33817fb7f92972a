//! Records that were not stored, and whose fate nobody has asked about: a few lines in the log, however many they are.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::produce::error::ProduceError;
use parking_lot::Mutex;

/// After this time without a line, there is one for the next batch.
const PAUSE: Duration = Duration::from_secs(60);

/// A topic, and the partition where one was chosen.
type Place = (Arc<str>, Option<i32>);

/// What has failed unheard, by partition.
#[derive(Default)]
pub(crate) struct UnheardFailures {
    counts: Mutex<HashMap<Place, Count>>,
}

struct Count {
    batches: u64,
    /// Since the last line.
    records: u64,
    last_line: Option<Instant>,
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
                    last_line: None,
                });
            count.batches += 1;
            count.records += u64::from(records);
            let is_due = |last: Instant| now.saturating_duration_since(last) >= PAUSE;
            if !count.batches.is_power_of_two() && !count.last_line.is_none_or(is_due) {
                return;
            }
            count.last_line = Some(now);
            std::mem::take(&mut count.records)
        };
        tracing::warn!(
            target: "kafkars::producer",
            %topic,
            partition,
            records,
            %cause,
            "records were not stored, and nobody has asked what became of them"
        );
    }
}
