//! What the application has been given and what it has finished.
//!
//! A record counts as finished when the application asks for more: whoever polls again is done with what the last poll
//! returned. So an automatic commit never passes a record that is still being worked on.

use std::collections::BTreeMap;

use super::{OffsetAndMetadata, Offsets};
use crate::config::TopicPartition;

/// Positions of all owned partitions.
#[derive(Debug, Default)]
pub struct Progress {
    partitions: BTreeMap<TopicPartition, Position>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Position {
    handed_out: Option<Mark>,
    finished: Option<Mark>,
    committed: Option<Mark>,
}

/// The next record to read, and the leader epoch of the last one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    offset: i64,
    leader_epoch: i32,
}

impl Progress {
    /// Nothing was given yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The application was given records up to, not including, `next_offset`; the last of them has `leader_epoch` (-1 when
    /// unknown).
    pub fn handed_out(&mut self, partition: &TopicPartition, next_offset: i64, leader_epoch: i32) {
        let mark = Mark {
            offset: next_offset,
            leader_epoch,
        };
        self.position(partition).handed_out = Some(mark);
    }

    /// The application asks for more: it has finished everything it was given before.
    pub fn polled(&mut self) {
        for position in self.partitions.values_mut() {
            position.finished = position.handed_out;
        }
    }

    /// The application says itself how far it is.
    pub fn finished(&mut self, partition: &TopicPartition, next_offset: i64, leader_epoch: i32) {
        let mark = Mark {
            offset: next_offset,
            leader_epoch,
        };
        self.position(partition).finished = Some(mark);
    }

    /// The application moved the position itself: what it was given before is of no interest any more.
    pub fn seek(&mut self, partition: &TopicPartition, offset: i64) {
        let mark = Mark {
            offset,
            leader_epoch: -1,
        };
        let position = self.position(partition);
        position.handed_out = Some(mark);
        position.finished = Some(mark);
    }

    /// This much is committed, so that it is not committed again.
    pub fn committed(&mut self, offsets: &Offsets) {
        for (partition, committed) in offsets {
            if let Some(position) = self.partitions.get_mut(partition) {
                position.committed = Some(Mark {
                    offset: committed.offset,
                    leader_epoch: committed.leader_epoch,
                });
            }
        }
    }

    /// These partitions are no longer owned.
    pub fn forget<'a>(&mut self, partitions: impl IntoIterator<Item = &'a TopicPartition>) {
        for partition in partitions {
            self.partitions.remove(partition);
        }
    }

    /// What is finished and not committed yet, of all partitions.
    #[must_use]
    pub fn to_commit(&self) -> Offsets {
        self.collect(|_| true)
    }

    /// What is finished and not committed yet, of those partitions that are to be given up.
    #[must_use]
    pub fn to_commit_of(&self, partitions: &[TopicPartition]) -> Offsets {
        self.collect(|partition| partitions.contains(partition))
    }

    fn collect(&self, of: impl Fn(&TopicPartition) -> bool) -> Offsets {
        let open = self.partitions.iter().filter_map(|(partition, position)| {
            let mark = position.finished.filter(|_| of(partition))?;
            (position.committed != Some(mark)).then(|| {
                let offset = OffsetAndMetadata {
                    leader_epoch: mark.leader_epoch,
                    ..OffsetAndMetadata::new(mark.offset)
                };
                (partition.clone(), offset)
            })
        });
        open.collect()
    }

    fn position(&mut self, partition: &TopicPartition) -> &mut Position {
        self.partitions.entry(partition.clone()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(number: i32) -> TopicPartition {
        TopicPartition {
            topic: "t".into(),
            partition: number,
        }
    }

    fn open(progress: &Progress) -> Vec<(i32, i64)> {
        let offsets = progress.to_commit();
        let pairs = offsets
            .iter()
            .map(|(one, offset)| (one.partition, offset.offset));
        pairs.collect()
    }

    #[test]
    fn only_what_an_earlier_poll_returned_is_finished() {
        let mut progress = Progress::new();
        progress.handed_out(&partition(0), 5, 1);
        assert_eq!(open(&progress), []);
        progress.polled();
        progress.handed_out(&partition(0), 9, 1);
        progress.handed_out(&partition(1), 3, 1);
        assert_eq!(open(&progress), [(0, 5)]);
        progress.polled();
        assert_eq!(open(&progress), [(0, 9), (1, 3)]);
    }

    #[test]
    fn nothing_is_committed_twice() {
        let mut progress = Progress::new();
        progress.handed_out(&partition(0), 5, 1);
        progress.polled();
        let offsets = progress.to_commit();
        progress.committed(&offsets);
        assert_eq!(open(&progress), []);
        progress.seek(&partition(0), 2);
        assert_eq!(open(&progress), [(0, 2)]);
    }

    #[test]
    fn partitions_given_up_are_forgotten() {
        let mut progress = Progress::new();
        progress.handed_out(&partition(0), 5, 1);
        progress.handed_out(&partition(1), 6, 1);
        progress.polled();
        assert_eq!(progress.to_commit_of(&[partition(1)]).len(), 1);
        progress.forget(&[partition(0)]);
        assert_eq!(open(&progress), [(1, 6)]);
    }
}
