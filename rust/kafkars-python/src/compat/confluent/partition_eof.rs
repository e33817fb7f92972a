//! `enable.partition.eof`: the end of a partition is reported once for each position at which it is reached, and again
//! after a pause.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kafkars_client::Consumer;
use kafkars_client::config::TopicPartition;
use parking_lot::Mutex;

/// How long a position has to be the end before it is reported. librdkafka reports it when a fetch has found nothing,
/// so that a message that was just stored comes first; here a fetch under way has this long.
const SETTLED_AFTER: Duration = Duration::from_millis(100);

/// The ends that were reported.
#[derive(Default)]
pub(super) struct Ends {
    // Guards the position at which each partition was at its end last, since when, and whether that was reported.
    seen: Mutex<HashMap<TopicPartition, SeenEnd>>,
}

/// The end of a partition that is to be told.
pub(super) struct PartitionEnd {
    pub(super) partition: TopicPartition,
    pub(super) position: i64,
    /// The place of the partition when it was at its end.
    pub(super) place: u64,
}

struct SeenEnd {
    position: i64,
    since: Instant,
    is_told: bool,
}

impl Ends {
    /// A partition whose end was reached and is not reported yet: it counts as reported now. A paused one is not read,
    /// and a position beyond the end is not the end: a broker has to respond to it first.
    pub(super) fn next(&self, consumer: &Consumer) -> Option<PartitionEnd> {
        let mut seen = self.seen.lock();
        let paused = consumer.paused();
        for (partition, lag) in consumer.lags() {
            if lag != Some(0) || paused.contains(&partition) {
                continue;
            }
            // The program may seek meanwhile: what is not of this place then, is not told.
            let Some(place) = consumer.place(&partition) else {
                continue;
            };
            let Ok(Some(position)) = consumer.position(&partition) else {
                continue;
            };
            if !matches!(consumer.lag(&partition), Ok(Some(0))) {
                continue;
            }
            if matches!(consumer.watermarks(&partition), Ok(Some((_, end))) if position > end) {
                continue;
            }
            let end = seen
                .entry(partition.clone())
                .or_insert_with(|| SeenEnd::new(position));
            if end.position != position {
                *end = SeenEnd::new(position);
            }
            if !end.is_told && end.since.elapsed() >= SETTLED_AFTER {
                end.is_told = true;
                return Some(PartitionEnd {
                    partition,
                    position,
                    place,
                });
            }
        }
        None
    }

    /// Takes back that an end was reported.
    pub(super) fn untell(&self, end: &PartitionEnd) {
        if let Some(seen) = self.seen.lock().get_mut(&end.partition)
            && seen.position == end.position
        {
            seen.is_told = false;
        }
    }

    /// Lets ends be reported again, after an assignment, a seek or a pause.
    pub(super) fn forget(&self, partition: Option<&TopicPartition>) {
        let mut seen = self.seen.lock();
        match partition {
            Some(partition) => drop(seen.remove(partition)),
            None => seen.clear(),
        }
    }
}

impl SeenEnd {
    fn new(position: i64) -> Self {
        Self {
            position,
            since: Instant::now(),
            is_told: false,
        }
    }
}
