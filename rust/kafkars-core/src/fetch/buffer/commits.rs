//! Notes about commits, by which a fetch buffer knows which offsets the group's coordinator has.

use super::fetch_buffer::FetchBuffer;
use crate::config::TopicPartition;
use crate::group::CommitId;

impl FetchBuffer {
    /// Notes that a commit of these partitions was asked for. [`FetchBuffer::note_queued`] follows.
    pub fn note_asked<'a>(&mut self, partitions: impl IntoIterator<Item = &'a TopicPartition>) {
        for partition in partitions {
            self.ledger.asked(partition);
        }
    }

    /// Notes that a commit of these partitions is in the queue with this id, or was not accepted. For a commit in the
    /// queue [`FetchBuffer::note_ended`] follows.
    pub fn note_queued<'a>(
        &mut self,
        partitions: impl IntoIterator<Item = &'a TopicPartition>,
        id: Option<CommitId>,
    ) {
        for partition in partitions {
            self.ledger.queued(partition, id);
            self.prune(partition);
        }
    }

    /// Notes that a commit has ended; `committed` is the offset that the coordinator has stored for the partition, if
    /// it has.
    pub fn note_ended(&mut self, partition: &TopicPartition, id: CommitId, committed: Option<i64>) {
        self.ledger.ended(partition, id, committed);
        self.prune(partition);
    }

    /// Notes that a look-up of the committed offset returned this one, perhaps from before a commit.
    pub fn note_found(&mut self, partition: &TopicPartition, offset: i64) {
        self.ledger.found(partition, offset);
    }

    fn prune(&mut self, partition: &TopicPartition) {
        if !self.by_partition.contains_key(partition) {
            self.ledger.forget(partition);
        }
    }
}
