//! Calls that commit offsets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::{CommitError, Offsets};
use tokio::sync::oneshot;

use super::command::{Command, Origin, Reply};
use super::commit_tracking::offsets;
use super::handle::GroupHandle;
use super::unheard_commits;
use crate::consumer::arguments::check_offset_to_commit;
use crate::consumer::handle::Consumer;
use crate::{after, now};

/// A commit may report for this much longer than its deadline that it has timed out.
const GRACE: Duration = Duration::from_secs(1);

impl Consumer {
    /// The position after the last record returned of every partition: what a commit without offsets commits.
    pub fn consumed_offsets(&self) -> Offsets {
        let inner = self.shared.inner.lock();
        offsets(&inner.buffer, inner.buffer.consumed())
    }

    /// True if the application has passed markers of transactions since a partition was assigned or sought: for
    /// libraries in which markers count as read.
    pub fn has_passed(&self, partition: &TopicPartition) -> bool {
        self.shared.inner.lock().buffer.has_passed(partition)
    }

    /// As [`Consumer::consumed_offsets`], for an application that commits all of it: it has finished those records, and
    /// no later automatic commit goes back behind them.
    pub fn finish_consumed(&self) -> Offsets {
        let mut inner = self.shared.inner.lock();
        inner.buffer.finish_all();
        offsets(&inner.buffer, inner.buffer.consumed())
    }

    /// As [`Consumer::consumed_offsets`], without partitions whose committed offset is known to be the same.
    pub fn uncommitted_offsets(&self) -> Offsets {
        let inner = self.shared.inner.lock();
        let positions = inner.buffer.uncommitted(inner.buffer.consumed());
        offsets(&inner.buffer, positions)
    }

    /// Commits `offsets`; the future ends when the coordinator has answered. The commit is queued by this call, not
    /// when its future is polled: a `close()` that follows does not overtake it.
    ///
    /// # Errors
    /// [`FetchError::State`] without a group, [`FetchError::Commit`] for an offset below 0 or where too many commits
    /// wait, [`FetchError::Topic`] or [`FetchError::InvalidArgument`] for a partition that cannot exist,
    /// [`FetchError::Closed`] after a close. The future fails with [`FetchError::Commit`].
    pub fn commit(
        &self,
        mut offsets: Offsets,
        origin: Origin,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<(), FetchError>> + Send + use<>, FetchError> {
        self.check_commit(&offsets)?;
        // A member that was fenced owns nothing, so that nothing is left to commit: it hears why.
        let waits = !offsets.is_empty() || self.group("commit()")?.fencing().is_some();
        let (reply, outcome) = oneshot::channel();
        let mut outcome = AwaitedCommit {
            client: Arc::clone(self.shared.client.name()),
            group: self.group("commit()")?.config.group_id.as_str().into(),
            outcome,
        };
        if waits {
            let group = self.group("commit()")?;
            group.check_room().map_err(FetchError::Commit)?;
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
            match tokio::time::timeout_at((deadline + GRACE).into(), &mut outcome.outcome).await {
                Ok(Ok(outcome)) => outcome.map_err(FetchError::Commit),
                // The group's task has ended, and the consumer with it.
                Ok(Err(_)) | Err(_) => Err(FetchError::Closed),
            }
        })
    }

    /// Makes a record count as finished as soon as it is returned: automatic commits do not wait until the application
    /// asks for more. aiokafka promises no more than that.
    pub fn finish_when_handed_out(&self) {
        self.shared.inner.lock().finishes_when_handed_out = true;
    }

    /// Ends automatic commits, those at the end included: only the application commits from now on. This is
    /// kafka-python's `close(autocommit=False)`.
    pub fn end_automatic_commits(&self) {
        self.shared.inner.lock().commits_nothing_of_itself = true;
    }

    /// What an automatic commit would commit now: what is finished and not committed. Empty where commits are not
    /// automatic.
    pub fn finished_offsets(&self) -> Offsets {
        let mut inner = self.shared.inner.lock();
        self.shared.finished_of_itself(&mut inner)
    }

    /// The positions left to commit when the consumer ends, if commits are automatic: those finished and not committed.
    /// `is_finished` is true if the application has finished what was returned last.
    pub(super) fn last_offsets(&self, is_finished: bool) -> Offsets {
        let automatic = |group: &GroupHandle| group.config.enable_auto_commit;
        if !self.shared.group.as_deref().is_some_and(automatic) {
            return Offsets::new();
        }
        if is_finished {
            self.shared.inner.lock().buffer.finish_all();
        }
        self.shared.take_finished()
    }

    /// Commits `offsets`; the outcome comes as [`crate::ConsumerEvent::Committed`] with the number of the callback.
    /// Without a callback a failure is logged.
    ///
    /// # Errors
    /// As for [`Consumer::commit`], without those of its future.
    pub fn commit_later(
        &self,
        mut offsets: Offsets,
        origin: Origin,
        deadline: Instant,
        callback: Option<u64>,
    ) -> Result<(), FetchError> {
        self.check_commit(&offsets)?;
        let group = self.group("commit_async()")?;
        group.check_room().map_err(FetchError::Commit)?;
        self.shared.note_wanted(&mut offsets);
        let told = group.tell(Command::Commit {
            offsets,
            origin,
            deadline,
            reply: callback.map_or(Reply::Nobody, Reply::Callback),
        });
        if told {
            Ok(())
        } else {
            Err(FetchError::Closed)
        }
    }

    /// True if this application makes commits faster than the group's task takes them. It takes each in microseconds,
    /// whatever the coordinator does: see [`Consumer::wait_for_commits_to_be_taken`].
    pub fn is_flooded_with_commits(&self) -> bool {
        let group = self.shared.group.as_ref();
        group.is_some_and(|group| group.is_flooded())
    }

    /// Waits on this thread until the group's task has taken some commits, for a second at most.
    pub fn wait_for_commits_to_be_taken(&self) {
        if let Some(group) = &self.shared.group {
            group.wait_for_room(after(now(), Duration::from_secs(1)));
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

/// Waits for the outcome of a commit. If it is dropped after a failure has come, it logs that: nobody else would.
struct AwaitedCommit {
    client: Arc<str>,
    group: Arc<str>,
    outcome: oneshot::Receiver<Result<(), CommitError>>,
}

impl Drop for AwaitedCommit {
    fn drop(&mut self) {
        self.outcome.close();
        if let Ok(Err(error)) = self.outcome.try_recv() {
            unheard_commits::tell(&self.client, &self.group, false, &error);
        }
    }
}
