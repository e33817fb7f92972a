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

struct SeenEnd {
    position: i64,
    since: Instant,
    is_told: bool,
}

impl Ends {
    /// A partition whose end was reached and is not reported yet, with the position. A paused one is not read, and a
    /// position beyond the end is not the end: a broker has to respond to it first.
    pub(super) fn next(&self, consumer: &Consumer) -> Option<(TopicPartition, i64)> {
        let mut seen = self.seen.lock();
        let paused = consumer.paused();
        for (partition, lag) in consumer.lags() {
            if lag != Some(0) || paused.contains(&partition) {
                continue;
            }
            let Ok(Some(position)) = consumer.position(&partition) else {
                continue;
            };
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
                return Some((partition, position));
            }
        }
        None
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
