//! Tracks commits: what is to be committed, what is known of commits under way, and who gets their outcomes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::buffer::{FetchBuffer, Position};
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::group::{
    ChangeKind, CommitError, CommitId, CommitOutcome, OffsetAndMetadata, Offsets,
};
use kafkars_protocol::ApiKey;

use super::callback_order::CallbackOrder;
use super::command::{Command, Reply};
use crate::client::Client;
use crate::consumer::shared::{ConsumerShared, ConsumerState};

impl ConsumerState {
    /// Finished positions that are still to be committed, of partitions that are not lost.
    pub(super) fn finished_offsets(&mut self) -> Offsets {
        if self.commits_nothing_of_itself {
            return Offsets::new();
        }
        if self.finishes_when_handed_out {
            self.buffer.finish_all();
        }
        let mut finished = self.buffer.to_commit();
        finished.retain(|(partition, _)| !self.queue.is_lost(partition));
        offsets(&self.buffer, finished)
    }
}

impl ConsumerShared {
    /// Explains what commits that have `waited` for so long are waiting for.
    pub(in crate::consumer) fn commit_obstacle(&self, waited: Duration) -> Option<Arc<str>> {
        let (coordinator, cause) = {
            let status = self.group.as_ref()?.status.lock();
            (status.coordinator, status.commit_cause.clone())
        };
        silence(&self.client, coordinator, waited).or(cause)
    }

    /// As [`ConsumerState::finished_offsets`], and notes that a commit of them is to follow.
    pub(super) fn take_finished(&self) -> Offsets {
        let mut inner = self.inner.lock();
        let finished = inner.finished_offsets();
        inner.buffer.note_asked(finished.keys());
        finished
    }

    /// Commits what is finished of partitions that the application has given up, as
    /// [`ConsumerShared::leave_behind`] says.
    pub(in crate::consumer) fn commit_left(&self, left: Offsets) {
        if let Some(group) = self.group.as_ref().filter(|_| !left.is_empty()) {
            group.tell(Command::CommitLeft(left));
        }
    }

    /// The partitions of `offsets` that are lost while the application has not handled the event of that.
    pub(super) fn lost_among(&self, offsets: &Offsets) -> Vec<TopicPartition> {
        let inner = self.inner.lock();
        let lost = offsets
            .keys()
            .filter(|partition| inner.queue.is_lost(partition));
        lost.cloned().collect()
    }

    /// Notes a commit that the application asks for, before it is queued: the committed offset is unknown until it has
    /// ended, and what was kept of these partitions for a later commit is dropped. Offsets get the id of the topic that
    /// the application has read last.
    pub(super) fn note_wanted(&self, offsets: &mut Offsets) {
        let mut inner = self.inner.lock();
        for (partition, wanted) in &mut *offsets {
            if wanted.topic_id.is_zero() {
                wanted.topic_id = inner.buffer.topic_id_read(partition);
            }
        }
        let offsets = &*offsets;
        inner.buffer.note_asked(offsets.keys());
        for (partition, wanted) in offsets {
            let is_new = inner.queue.is_being_assigned(partition);
            inner.buffer.begin_after_commit(partition, is_new);
            inner.buffer.settle(partition, wanted.offset);
        }
        inner.supersede(offsets);
    }

    /// Takes back [`ConsumerShared::note_wanted`] for a commit that the queue refused.
    pub(super) fn note_unwanted(&self, offsets: &Offsets) {
        let mut inner = self.inner.lock();
        for (partition, wanted) in offsets {
            inner.buffer.unsettle(partition, wanted.offset);
        }
    }

    /// Notes that a commit was queued, or with `None` that the queue refused it.
    pub(super) fn note_queued(&self, offsets: &Offsets, id: Option<CommitId>) {
        self.inner.lock().buffer.note_queued(offsets.keys(), id);
        if id.is_none() && !offsets.is_empty() {
            self.touch();
        }
    }

    pub(super) fn note_ended(&self, outcome: &CommitOutcome) {
        let mut inner = self.inner.lock();
        let committed: BTreeSet<_> = outcome.committed().collect();
        for (partition, offset) in &outcome.offsets {
            let topic_id = inner.buffer.topic_id(partition);
            let is_of_another = !offset.topic_id.is_zero() && offset.topic_id != topic_id;
            let is_committed = committed.contains(partition) && !is_of_another;
            let offset = is_committed.then_some(offset.offset);
            inner.buffer.note_ended(partition, outcome.id, offset);
        }
        for partition in &outcome.gone {
            if let Some(committed) = outcome.offsets.get(partition)
                && committed.topic_id == inner.buffer.topic_id(partition)
            {
                inner.buffer.note_gone(partition, committed.offset);
            }
        }
    }
}

/// Tells the outcome of a commit to whoever waits for it.
pub(super) fn answer(
    shared: &ConsumerShared,
    callbacks: &mut CallbackOrder,
    reply: Reply,
    offsets: Offsets,
    outcome: Result<(), CommitError>,
) {
    match reply {
        Reply::Waiter(waiter) => drop(waiter.send(outcome)),
        Reply::Last(last) => {
            // Nobody asks for this outcome any more.
            if let (Err(error), true) = (&outcome, shared.is_closed()) {
                tracing::warn!(target: "kafkars::group", client = %shared.client.name(), %error, "the last commit of a closed consumer failed");
            }
            last.end(&offsets, outcome);
        }
        Reply::Left => {
            if let Err(error) = &outcome {
                tracing::warn!(target: "kafkars::group", client = %shared.client.name(), %error, "positions of partitions that were given up were not committed");
            }
            shared.inner.lock().ending.left_ended(&offsets, outcome);
        }
        Reply::Nobody => {}
        Reply::Callback(callback) => {
            callbacks.ended(callback, offsets, outcome);
            while let Some(event) = callbacks.next() {
                shared.push_event(event);
            }
        }
    }
}

/// Names the broker whose silence has kept commits from their end for so long: the coordinator, or whoever was asked
/// for it.
pub(super) fn silence(
    client: &Client,
    coordinator: Option<i32>,
    waited: Duration,
) -> Option<Arc<str>> {
    let is_commit =
        |node, api| api == ApiKey::OffsetCommit && coordinator.is_none_or(|known| known == node);
    let found = client.silence(waited, is_commit);
    found.or_else(|| client.silence(waited, |_, api| api == ApiKey::FindCoordinator))
}

/// The kind of a change, for logs.
pub(super) fn kind(kind: &ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Assigned => "assigned",
        ChangeKind::Revoked => "revoked",
        ChangeKind::Lost(_) => "lost",
    }
}

/// Positions as offsets to commit.
pub(super) fn offsets(
    buffer: &FetchBuffer,
    positions: impl IntoIterator<Item = Position>,
) -> Offsets {
    let to_commit = |(partition, position): (TopicPartition, FetchPosition)| {
        let committed = OffsetAndMetadata {
            leader_epoch: position.leader_epoch,
            topic_id: buffer.topic_id(&partition),
            ..OffsetAndMetadata::new(position.offset)
        };
        (partition, committed)
    };
    positions.into_iter().map(to_commit).collect()
}
