//! Notes about commits, by which a fetch buffer knows which offsets the group's coordinator has.

use super::fetch_buffer::FetchBuffer;
use crate::config::TopicPartition;
use crate::fetch::cursor::{CursorState, StartAt};
use crate::group::CommitId;

impl FetchBuffer {
    /// Notes that a commit of these partitions was asked for. [`FetchBuffer::note_queued`] follows.
    pub fn note_asked<'a>(&mut self, partitions: impl IntoIterator<Item = &'a TopicPartition>) {
        for partition in partitions {
            self.ledger.asked(partition);
        }
    }

    /// Lets a partition begin where the application commits now, and not where the group was before. What was looked up
    /// already is looked up again only if the partition `is_new`: its assignment has not reached the application whole.
    pub fn begin_after_commit(&mut self, partition: &TopicPartition, is_new: bool) {
        let Ok(id) = self.id(partition) else {
            return;
        };
        let Some(cursor) = self.cursors[id].as_ref() else {
            return;
        };
        // The group assigns to members only, whose partitions begin at its offset, or by the policy if it has none.
        let begins_in_group = match cursor.state {
            CursorState::Unset(StartAt::Committed) => true,
            CursorState::Unset(StartAt::Policy) => is_new,
            CursorState::Fetching => is_new && cursor.is_looked_up,
            CursorState::Unset(_) | CursorState::Failed => false,
        };
        if begins_in_group {
            self.restart(id, |cursor| cursor.reset(StartAt::Committed));
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
