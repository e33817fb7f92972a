//! The assignment and the positions of a consumer.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::config::{IsolationLevel, TopicPartition};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::cursor::{CursorState, StartAt};
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::group::Offsets;
use kafkars_protocol::ApiKey;

use super::arguments::{check_offset, check_partition};
use super::errors::unreachable;
use super::handle::Consumer;
use super::shared::ConsumerState;
use crate::net::ConnectionKind;
use crate::now;

/// What a broker said of a partition in its last answer to a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastFetch {
    /// The high watermark, or -1 if the broker did not return it.
    pub high_watermark: i64,
    /// The last stable offset: the first offset of an open transaction, or the high watermark; -1 if the broker did not
    /// return it.
    pub last_stable_offset: i64,
    /// How long ago the answer came.
    pub ago: Duration,
}

impl Consumer {
    /// Replaces the assignment. Partitions that stay keep their position unless a new one is given.
    ///
    /// # Errors
    /// [`FetchError::State`] after a subscription, [`FetchError::InvalidArgument`] for a partition or an offset below
    /// 0, [`FetchError::Topic`] for a name that no topic can have, [`FetchError::Closed`] after a close. Nothing has
    /// changed then.
    pub fn assign(
        &self,
        partitions: Vec<(TopicPartition, Option<FetchPosition>)>,
    ) -> Result<(), FetchError> {
        for (partition, position) in &partitions {
            check_partition(partition)?;
            if let Some(position) = position {
                check_offset(partition, position.offset)?;
            }
        }
        self.reassign("assign()", true, |buffer, _| {
            buffer.assign(partitions);
            Ok(())
        })
    }

    /// Adds to the assignment. Partitions in it keep their position unless a new one is given.
    ///
    /// # Errors
    /// As for [`Consumer::assign`].
    pub fn incremental_assign(
        &self,
        partitions: Vec<(TopicPartition, Option<FetchPosition>)>,
    ) -> Result<(), FetchError> {
        for (partition, position) in &partitions {
            check_partition(partition)?;
            if let Some(position) = position {
                check_offset(partition, position.offset)?;
            }
        }
        self.reassign("incremental_assign()", true, |buffer, was_by_hand| {
            match was_by_hand {
                true => buffer.add(partitions),
                // Partitions that the group had assigned are given up.
                false => buffer.assign(partitions),
            }
            Ok(())
        })
    }

    /// Removes partitions from the assignment.
    ///
    /// # Errors
    /// [`FetchError::State`] after a subscription, [`FetchError::NotAssigned`] for a partition that is not assigned,
    /// [`FetchError::Closed`] after a close. Nothing is removed then.
    pub fn incremental_unassign(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.reassign("incremental_unassign()", false, |buffer, _| {
            check_all(buffer, partitions)?;
            buffer.remove(partitions);
            Ok(())
        })
    }

    /// Changes the assignment; the only way in which the application gives up partitions. What it has finished of them
    /// is committed, if commits are automatic. `takes` is true if the application assigns partitions itself from now
    /// on; `change` is given whether it did so before.
    fn reassign(
        &self,
        call: &str,
        takes: bool,
        change: impl FnOnce(&mut FetchBuffer, bool) -> Result<(), FetchError>,
    ) -> Result<(), FetchError> {
        self.check_by_hand(call)?;
        let mut left = Offsets::new();
        let result = self.change_inner(|inner| {
            let was_by_hand = inner.assigned_by_hand;
            let finished = self.shared.finished_of_itself(inner);
            let result = change(&mut inner.buffer, was_by_hand);
            inner.assigned_by_hand |= takes;
            if inner.assigned_by_hand {
                inner.buffer.want_only(None);
            }
            left = self.shared.leave_behind(inner, finished, was_by_hand);
            result
        });
        self.shared.commit_left(left);
        result
    }

    /// Assignment by hand and by a group exclude each other.
    fn check_by_hand(&self, call: &str) -> Result<(), FetchError> {
        self.check_open()?;
        if let Some(group) = &self.shared.group
            && group.is_subscribed()
        {
            return Err(FetchError::State {
                problem: format!(
                    "{call}: the group assigns partitions after subscribe(); call unsubscribe() first"
                )
                .into(),
            });
        }
        Ok(())
    }

    /// True if any partition is assigned.
    pub fn is_assigned(&self) -> bool {
        self.shared.inner.lock().buffer.assigned() > 0
    }

    /// The assigned partitions, in no order.
    pub fn assignment(&self) -> Vec<TopicPartition> {
        self.shared.inner.lock().buffer.assignment()
    }

    /// Moves to `position` and drops fetched data. With a leader epoch the log is checked for truncation
    /// (KIP-320).
    ///
    /// # Errors
    /// [`FetchError::InvalidArgument`] for a negative offset, [`FetchError::NotAssigned`] for a partition that is not
    /// assigned, [`FetchError::Closed`] after a close.
    pub fn seek(
        &self,
        partition: &TopicPartition,
        position: FetchPosition,
    ) -> Result<(), FetchError> {
        check_offset(partition, position.offset)?;
        self.change(|buffer| buffer.seek(partition, position))
    }

    /// Seeks to the log start offset; in all assigned partitions if none is named.
    ///
    /// # Errors
    /// [`FetchError::NotAssigned`] for a partition that is not assigned, [`FetchError::Closed`] after a close. No
    /// position has changed then.
    pub fn seek_to_beginning(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.seek_to(partitions, StartAt::Earliest)
    }

    /// Seeks to the end of the log; in all assigned partitions if none is named.
    ///
    /// # Errors
    /// As for [`Consumer::seek_to_beginning`].
    pub fn seek_to_end(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.seek_to(partitions, StartAt::Latest)
    }

    /// Goes back to what the group has committed, or where nothing is, to where `auto_offset_reset` says; in all
    /// assigned partitions if none is named. A commit that is under way is waited for.
    ///
    /// # Errors
    /// As for [`Consumer::seek_to_beginning`].
    pub fn seek_to_committed(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.seek_to(partitions, StartAt::Committed)
    }

    /// Seeks to the first record with this timestamp in ms or a later one, or to the end; in all assigned partitions if
    /// none is named.
    ///
    /// # Errors
    /// [`FetchError::InvalidArgument`] for a negative timestamp; otherwise as for [`Consumer::seek_to_beginning`].
    pub fn seek_to_timestamp(
        &self,
        partitions: &[TopicPartition],
        timestamp: i64,
    ) -> Result<(), FetchError> {
        if timestamp < 0 {
            return Err(FetchError::InvalidArgument {
                problem: format!("timestamp {timestamp} ms is negative").into(),
            });
        }
        self.seek_to(partitions, StartAt::Timestamp(timestamp))
    }

    fn seek_to(&self, partitions: &[TopicPartition], start: StartAt) -> Result<(), FetchError> {
        self.change(|buffer| {
            each(buffer, partitions, |buffer, partition| {
                buffer.seek_to(partition, start)
            })
        })
    }

    /// Pauses partitions: no record is returned or fetched; what was fetched is kept.
    ///
    /// # Errors
    /// [`FetchError::NotAssigned`] for a partition that is not assigned, [`FetchError::Closed`] after a close. Nothing
    /// is paused then.
    pub fn pause(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.change(|buffer| {
            check_all(buffer, partitions)?;
            let mut partitions = partitions.iter();
            partitions.try_for_each(|partition| buffer.set_paused(partition, true))
        })
    }

    /// Undoes [`Consumer::pause`].
    ///
    /// # Errors
    /// As for [`Consumer::pause`]. Nothing is resumed then.
    pub fn resume(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.change(|buffer| {
            check_all(buffer, partitions)?;
            let mut partitions = partitions.iter();
            partitions.try_for_each(|partition| buffer.set_paused(partition, false))
        })
    }

    /// The place of a partition that is assigned: a number that no other has, for as long as the application neither
    /// assigns the partition anew nor seeks.
    pub fn place(&self, partition: &TopicPartition) -> Option<u64> {
        self.shared.inner.lock().buffer.place(partition)
    }

    /// The paused partitions, in no order.
    pub fn paused(&self) -> Vec<TopicPartition> {
        self.shared.inner.lock().buffer.paused()
    }

    fn change(
        &self,
        change: impl FnOnce(&mut FetchBuffer) -> Result<(), FetchError>,
    ) -> Result<(), FetchError> {
        self.change_inner(|inner| change(&mut inner.buffer))
    }

    fn change_inner(
        &self,
        change: impl FnOnce(&mut ConsumerState) -> Result<(), FetchError>,
    ) -> Result<(), FetchError> {
        self.check_open()?;
        let mut inner = self.shared.inner.lock();
        let result = change(&mut inner);
        inner.requested_at = now();
        inner.changed_at = Some(inner.requested_at);
        let woken = inner.take_woken();
        drop(inner);
        self.shared.announce(woken);
        self.shared.touch();
        result
    }

    /// The position: the offset of the next record that the application gets; `None` until it has been looked up.
    ///
    /// # Errors
    /// [`FetchError::NotAssigned`] for a partition that is not assigned.
    pub fn position(&self, partition: &TopicPartition) -> Result<Option<i64>, FetchError> {
        let inner = self.shared.inner.lock();
        Ok(inner.buffer.cursor(partition)?.position())
    }

    /// As [`Consumer::position`], but waits until the position has been looked up. An error that stands before the
    /// position is raised at once.
    ///
    /// # Errors
    /// [`FetchError::NotAssigned`] for a partition that is not assigned, [`FetchError::TimedOut`] at the deadline,
    /// [`FetchError::Closed`] after a close; otherwise why there is no position, such as [`FetchError::NoOffset`].
    pub async fn position_or_fetch(
        &self,
        partition: &TopicPartition,
        deadline: Instant,
    ) -> Result<i64, FetchError> {
        let started = now();
        let mut changed = self.shared.changed.subscribe();
        let client = &self.shared.client;
        let leads = |node| {
            let leader = client.leaders([(&partition.topic, partition.partition)]);
            leader.contains(&node).then_some(ConnectionKind::Data)
        };
        let mut refused = pin!(client.refused_since(started, leads));
        loop {
            self.check_open()?;
            if let Some(position) = self.position(partition)? {
                return Ok(position);
            }
            let error = self
                .shared
                .inner
                .lock()
                .buffer
                .take_position_error(partition)?;
            if let Some(error) = error {
                // The error was taken, so the tasks go on with the partition.
                self.shared.touch();
                return Err(error);
            }
            tokio::select! {
                _ = changed.changed() => {}
                refusal = &mut refused => return Err(unreachable("position", &refusal)),
                () = tokio::time::sleep_until(deadline.into()) => {
                    let cause = self.position_cause(partition, started.elapsed());
                    let topic = &partition.topic;
                    return Err(self.shared.timed_out("position", topic, started, cause));
                }
            }
        }
    }

    /// Explains why a position is not found yet.
    fn position_cause(&self, partition: &TopicPartition, waited: Duration) -> Arc<str> {
        let (waits_for_commit, state, trouble) = {
            let buffer = &self.shared.inner.lock().buffer;
            let cursor = buffer.cursor(partition).ok();
            let trouble = cursor.and_then(|cursor| cursor.trouble());
            let trouble =
                trouble.map(|trouble| format!("{}: {}", trouble.operation, trouble.cause));
            let state = cursor.map(|cursor| cursor.state);
            (buffer.waits_for_commit(partition), state, trouble)
        };
        if waits_for_commit {
            let cause = self.shared.commit_obstacle(waited);
            let cause = cause
                .as_deref()
                .unwrap_or("the coordinator has not answered yet");
            return format!("a commit of the partition is to end first: {cause}").into();
        }
        let client = &self.shared.client;
        let is_committed = matches!(state, Some(CursorState::Unset(StartAt::Committed)));
        let silence = match is_committed {
            true => client.silence(waited, |_, api| {
                matches!(api, ApiKey::OffsetFetch | ApiKey::FindCoordinator)
            }),
            false => {
                let leaders = client.leaders([(&partition.topic, partition.partition)]);
                let asked = [ApiKey::ListOffsets, ApiKey::OffsetForLeaderEpoch];
                client.silence(waited, |node, api| {
                    leaders.contains(&node) && asked.contains(&api)
                })
            }
        };
        match (silence, trouble) {
            (Some(silence), _) => silence,
            (None, Some(trouble)) => trouble.into(),
            (None, None) if is_committed => "the coordinator of the group did not answer".into(),
            (None, None) => "the leader of the partition did not answer".into(),
        }
    }

    /// The low and the high watermark of the last fetch: the log start offset, and the end of what may be read.
    ///
    /// # Errors
    /// [`FetchError::NotAssigned`] for a partition that is not assigned.
    pub fn watermarks(&self, partition: &TopicPartition) -> Result<Option<(i64, i64)>, FetchError> {
        let inner = self.shared.inner.lock();
        let cursor = inner.buffer.cursor(partition)?;
        let known = cursor.high_watermark >= 0;
        Ok(known.then_some((cursor.log_start_offset, cursor.high_watermark)))
    }

    /// What the last fetch said of the partition; `None` before the first.
    ///
    /// # Errors
    /// [`FetchError::NotAssigned`] for a partition that is not assigned.
    pub fn last_fetch(&self, partition: &TopicPartition) -> Result<Option<LastFetch>, FetchError> {
        let inner = self.shared.inner.lock();
        let cursor = inner.buffer.cursor(partition)?;
        Ok(cursor.heard_at.map(|heard_at| LastFetch {
            high_watermark: cursor.high_watermark,
            last_stable_offset: cursor.last_stable_offset,
            ago: now().saturating_duration_since(heard_at),
        }))
    }

    /// As [`Consumer::lag`], for every assigned partition.
    pub fn lags(&self) -> Vec<(TopicPartition, Option<i64>)> {
        let partitions = self.assignment();
        let lag = |partition| {
            let lag = self.lag(&partition).ok().flatten();
            (partition, lag)
        };
        partitions.into_iter().map(lag).collect()
    }

    /// The lag: records between the position and the end of what may be read; `None` until both are known.
    ///
    /// # Errors
    /// [`FetchError::NotAssigned`] for a partition that is not assigned.
    pub fn lag(&self, partition: &TopicPartition) -> Result<Option<i64>, FetchError> {
        let inner = self.shared.inner.lock();
        let cursor = inner.buffer.cursor(partition)?;
        let end = match self.shared.config.isolation_level {
            IsolationLevel::ReadCommitted => cursor.last_stable_offset,
            IsolationLevel::ReadUncommitted => cursor.high_watermark,
        };
        let position = cursor.position().filter(|_| end >= 0);
        Ok(position.map(|position| (end - position).max(0)))
    }
}

/// Changes the named partitions, or all assigned ones if none is named.
fn each(
    buffer: &mut FetchBuffer,
    partitions: &[TopicPartition],
    mut change: impl FnMut(&mut FetchBuffer, &TopicPartition) -> Result<(), FetchError>,
) -> Result<(), FetchError> {
    if partitions.is_empty() {
        let all = buffer.assignment();
        return all
            .iter()
            .try_for_each(|partition| change(buffer, partition));
    }
    check_all(buffer, partitions)?;
    partitions
        .iter()
        .try_for_each(|partition| change(buffer, partition))
}

/// Fails if any of the partitions is not assigned, so that a call changes all of them or none.
fn check_all(buffer: &FetchBuffer, partitions: &[TopicPartition]) -> Result<(), FetchError> {
    partitions
        .iter()
        .try_for_each(|partition| buffer.cursor(partition).map(drop))
}
