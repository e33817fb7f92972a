//! `enable.partition.eof`: a partition is told to be read to its end once for each position at which that is so.

use std::collections::HashMap;

use kafkars_client::Consumer;
use kafkars_client::config::TopicPartition;
use parking_lot::Mutex;

/// The ends that were told.
#[derive(Default)]
pub(super) struct Ends {
    // Guards the position at which each partition's end was told last.
    told: Mutex<HashMap<TopicPartition, i64>>,
}

impl Ends {
    /// A partition that is read to its end and was not told to be, with the position.
    pub(super) fn next(&self, consumer: &Consumer) -> Option<(TopicPartition, i64)> {
        let mut told = self.told.lock();
        for (partition, lag) in consumer.lags() {
            if lag != Some(0) {
                continue;
            }
            let Ok(Some(position)) = consumer.position(&partition) else {
                continue;
            };
            if told.get(&partition) != Some(&position) {
                told.insert(partition.clone(), position);
                return Some((partition, position));
            }
        }
        None
    }

    /// What is assigned or sought anew has its ends told anew.
    pub(super) fn forget(&self, partition: Option<&TopicPartition>) {
        let mut told = self.told.lock();
        match partition {
            Some(partition) => drop(told.remove(partition)),
            None => told.clear(),
        }
    }
}
