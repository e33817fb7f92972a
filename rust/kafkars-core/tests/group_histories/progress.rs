//! What the application has been given and what it has finished.
//!
//! A record counts as finished when the application asks for more: whoever polls again is done with what the last poll
//! returned. So an automatic commit never passes a record that is still being worked on.

use std::collections::BTreeMap;

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{OffsetAndMetadata, Offsets};

/// Positions of all owned partitions.
#[derive(Debug, Default)]
pub(crate) struct Progress {
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
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The application was given records up to, not including, `next_offset`; the last of them has `leader_epoch` (-1
    /// when unknown).
    pub(crate) fn handed_out(
        &mut self,
        partition: &TopicPartition,
        next_offset: i64,
        leader_epoch: i32,
    ) {
        let mark = Mark {
            offset: next_offset,
            leader_epoch,
        };
        self.position(partition).handed_out = Some(mark);
    }

    /// The application asks for more: it has finished everything it was given before.
    pub(crate) fn polled(&mut self) {
        for position in self.partitions.values_mut() {
            position.finished = position.handed_out;
        }
    }

    /// This much is committed, so that it is not committed again.
    pub(crate) fn committed(&mut self, offsets: &Offsets) {
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
    pub(crate) fn forget<'a>(&mut self, partitions: impl IntoIterator<Item = &'a TopicPartition>) {
        for partition in partitions {
            self.partitions.remove(partition);
        }
    }

    /// What is finished and not committed yet, of all partitions.
    pub(crate) fn to_commit(&self) -> Offsets {
        self.collect(|_| true)
    }

    /// What is finished and not committed yet, of those partitions that are to be given up.
    pub(crate) fn to_commit_of(&self, partitions: &[TopicPartition]) -> Offsets {
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
