//! Commits of offsets, as the handle asks for them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::buffer::{FetchBuffer, Position};
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::{
    ChangeKind, CommitError, CommitId, CommitOutcome, OffsetAndMetadata, Offsets,
};
use kafkars_protocol::ApiKey;
use tokio::sync::oneshot;

use super::events::ConsumerEvent;
use super::{Command, Group, Origin, Reply};
use crate::client::Client;
use crate::consumer::Consumer;
use crate::consumer::positions::check_partition;
use crate::consumer::shared::{Inner, Shared};

/// How much longer than its deadline a commit may take to say so.
const GRACE: Duration = Duration::from_secs(1);

impl Consumer {
    /// Where everything stands that was handed out: what a commit without offsets commits.
    pub fn consumed_offsets(&self) -> Offsets {
        let inner = self.shared.inner.lock();
        offsets(&inner.buffer, inner.buffer.consumed())
    }

    /// The same, by an application that commits everything: it has finished all of it, and no later commit goes back
    /// behind that.
    pub fn finish_consumed(&self) -> Offsets {
        let mut inner = self.shared.inner.lock();
        inner.buffer.finish_all();
        offsets(&inner.buffer, inner.buffer.consumed())
    }

    /// The same as [`Consumer::consumed_offsets`] of partitions whose committed offset is another one, as far as this
    /// consumer knows.
    pub fn uncommitted_offsets(&self) -> Offsets {
        let inner = self.shared.inner.lock();
        let positions = inner.buffer.uncommitted(inner.buffer.consumed());
        offsets(&inner.buffer, positions)
    }

    /// Commits `offsets`; the answer comes when the coordinator has them. The commit is made by this call, not when its
    /// answer is waited for: a `close()` that follows does not overtake it.
    pub fn commit(
        &self,
        mut offsets: Offsets,
        origin: Origin,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<(), FetchError>> + Send + use<>, FetchError> {
        self.check_commit(&offsets)?;
        let waits = !offsets.is_empty();
        let (reply, outcome) = oneshot::channel();
        if waits {
            let group = self.group("commit()")?;
            self.shared.note_wanted(&mut offsets);
            let told = group.tell(Command::Commit {
                offsets,
                origin,
                deadline,
                reply: Reply::Waiter(reply),
            });
            if !told {
                return Err(FetchError::Closed);
            }
        }
        Ok(async move {
            if !waits {
                return Ok(());
            }
            match tokio::time::timeout_at((deadline + GRACE).into(), outcome).await {
                Ok(Ok(outcome)) => outcome.map_err(FetchError::Commit),
                // The group's task ended, and the consumer with it.
                Ok(Err(_)) | Err(_) => Err(FetchError::Closed),
            }
        })
    }

    /// From now on a record counts as finished as soon as it is handed out: automatic commits do not wait until the
    /// application asks for more. aiokafka promises no more than that.
    pub fn finish_when_handed_out(&self) {
        self.shared.inner.lock().finishes_when_handed_out = true;
    }

    /// From now on nothing is committed but what the application commits itself, at the end neither: kafka-python's
    /// `close(autocommit=False)`.
    pub fn end_automatic_commits(&self) {
        self.shared.inner.lock().commits_nothing_of_itself = true;
    }

    /// What is left to commit when the consumer ends: where commits are automatic, what is finished and not committed.
    /// `is_finished` tells whether the application has finished what was handed out last.
    pub(super) fn last_offsets(&self, is_finished: bool) -> Offsets {
        let automatic = |group: &Group| group.config.enable_auto_commit;
        if !self.shared.group.as_deref().is_some_and(automatic) {
            return Offsets::new();
        }
        if is_finished {
            self.shared.inner.lock().buffer.finish_all();
        }
        self.shared.take_finished()
    }

    /// Commits `offsets`; the outcome comes as [`ConsumerEvent::Committed`] with the number of the callback.
    pub fn commit_later(
        &self,
        mut offsets: Offsets,
        origin: Origin,
        deadline: Instant,
        callback: u64,
    ) -> Result<(), FetchError> {
        self.check_commit(&offsets)?;
        let group = self.group("commit_async()")?;
        self.shared.note_wanted(&mut offsets);
        let told = group.tell(Command::Commit {
            offsets,
            origin,
            deadline,
            reply: Reply::Callback(callback),
        });
        if told {
            Ok(())
        } else {
            Err(FetchError::Closed)
        }
    }

    fn check_commit(&self, offsets: &Offsets) -> Result<(), FetchError> {
        self.check_open()?;
        self.group("commit()")?;
        for (partition, committed) in offsets {
            check_offset_to_commit(partition, committed.offset)?;
        }
        Ok(())
    }
}

/// Fails for what no coordinator commits: a name that no topic has, a partition or an offset below 0.
///
/// # Errors
/// What is wrong with it.
pub fn check_offset_to_commit(partition: &TopicPartition, offset: i64) -> Result<(), FetchError> {
    check_partition(partition)?;
    if offset < 0 {
        return Err(FetchError::Commit(CommitError::InvalidOffset {
            partition: partition.clone(),
            offset,
        }));
    }
    Ok(())
}

impl Inner {
    /// What is finished and still to be committed, of partitions that are not lost.
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

impl Shared {
    /// What stands against the commits that wait after so long.
    pub(in crate::consumer) fn commit_obstacle(&self, waited: Duration) -> Option<Arc<str>> {
        let (coordinator, cause) = {
            let status = self.group.as_ref()?.status.lock();
            (status.coordinator, status.commit_cause.clone())
        };
        silence(&self.client, coordinator, waited).or(cause)
    }

    /// [`Inner::finished_offsets`], of which a commit is to follow.
    pub(super) fn take_finished(&self) -> Offsets {
        let mut inner = self.inner.lock();
        let finished = inner.finished_offsets();
        inner.buffer.note_asked(finished.keys());
        finished
    }

    /// Commits what is finished of partitions that the application has given up, as [`Shared::leave_behind`] says.
    pub(in crate::consumer) fn commit_left(&self, left: Offsets) {
        if let Some(group) = self.group.as_ref().filter(|_| !left.is_empty()) {
            group.tell(Command::CommitLeft(left));
        }
    }

    /// Those that are lost, before the application has heard of it.
    pub(super) fn lost_among(&self, offsets: &Offsets) -> Vec<TopicPartition> {
        let inner = self.inner.lock();
        let lost = offsets
            .keys()
            .filter(|partition| inner.queue.is_lost(partition));
        lost.cloned().collect()
    }

    /// A commit of the application's is on its way to the queue: what is committed is not known until it has ended, and
    /// what was to be committed of these partitions before is no longer what the application wants. Offsets that it
    /// names were reached in the topic that it has read last.
    fn note_wanted(&self, offsets: &mut Offsets) {
        let mut inner = self.inner.lock();
        for (partition, wanted) in &mut *offsets {
            if wanted.topic_id.is_zero() {
                wanted.topic_id = inner.buffer.topic_id_read(partition);
            }
        }
        let offsets = &*offsets;
        inner.buffer.note_asked(offsets.keys());
        for (partition, wanted) in offsets {
            inner.buffer.settle(partition, wanted.offset);
        }
        inner.supersede(offsets);
    }

    /// That commit was not taken.
    pub(super) fn note_unwanted(&self, offsets: &Offsets) {
        let mut inner = self.inner.lock();
        for (partition, wanted) in offsets {
            inner.buffer.unsettle(partition, wanted.offset);
        }
    }

    /// It is in the queue, or was not taken.
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

/// Positions as offsets to commit.
fn offsets(buffer: &FetchBuffer, positions: impl IntoIterator<Item = Position>) -> Offsets {
    let to_commit =
        |(partition, place): (TopicPartition, kafkars_core::fetch::position::FetchPosition)| {
            let committed = OffsetAndMetadata {
                leader_epoch: place.leader_epoch,
                topic_id: buffer.topic_id(&partition),
                ..OffsetAndMetadata::new(place.offset)
            };
            (partition, committed)
        };
    positions.into_iter().map(to_commit).collect()
}

/// Tells whoever waits for a commit what came of it.
pub(super) fn answer(
    shared: &Shared,
    reply: Reply,
    offsets: Offsets,
    outcome: Result<(), CommitError>,
) {
    match reply {
        Reply::Waiter(waiter) => drop(waiter.send(outcome)),
        Reply::Last(last) => {
            // Nobody asks any more.
            if let (Err(error), true) = (&outcome, shared.is_closed()) {
                tracing::warn!(target: "kafkars::group", %error, "the last commit of a closed consumer failed");
            }
            last.end(&offsets, outcome);
        }
        Reply::Left => {
            if let Err(error) = &outcome {
                tracing::warn!(target: "kafkars::group", %error, "positions of partitions that were given up are not committed");
            }
            shared.inner.lock().ending.left_ended(&offsets, outcome);
        }
        Reply::Callback(callback) => shared.push_news(ConsumerEvent::Committed {
            callback,
            offsets,
            outcome,
        }),
    }
}

/// What keeps commits from their end after so long, where a broker is silent: the coordinator that was asked, or
/// whoever was asked for it.
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

/// A word for logs.
pub(super) fn kind(kind: &ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Assigned => "assigned",
        ChangeKind::Revoked => "revoked",
        ChangeKind::Lost(_) => "lost",
    }
}
