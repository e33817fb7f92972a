//! One partition as its leader sees it: log, producers, leadership, and the fetches that wait for news.

use std::collections::HashMap;

use kafkars_protocol::ErrorCode;
use kafkars_records::{
    RawBatch, ReadLimits, RecordsError, TimestampType, TransactionMarker, batches,
};

use crate::aborted_transactions::{Aborted, AbortedTxn};
use crate::append_validation::IncomingBatch;
use crate::log::Log;
use crate::log::file::PartitionFile;
use crate::producers::{AppendCheck, DescribedProducer, Producers};
use crate::refusal::RefusedRequest;
use crate::settings::topic::TopicConfig;
use crate::waiter::FetchWaiters;

/// The limit is for markers, which are small; whatever else is in a file was checked when it came.
const RESTORED: ReadLimits = ReadLimits {
    max_decompressed: 1 << 20,
};

/// Leadership and content of one partition.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) leader: i32,
    pub(crate) leader_epoch: i32,
    pub(crate) replicas: Vec<i32>,
    /// The replicas that have everything: those whose nodes are alive, or the last that was.
    pub(crate) in_sync: Vec<i32>,
    pub(crate) log: Log,
    pub(crate) waiters: FetchWaiters,
    /// The file that keeps the log across restarts, if there is one.
    pub(crate) file: Option<PartitionFile>,
    producers: Producers,
    aborted: Aborted,
    /// Leader epochs that have records, each with its first offset, in order.
    epochs: Vec<(i32, i64)>,
}

/// The place of a batch that was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) base_offset: i64,
    /// The time the broker put on the records, where the topic has log-append time.
    pub(crate) append_time: Option<i64>,
}

impl Partition {
    pub(crate) fn new(replicas: Vec<i32>, config: &TopicConfig) -> Self {
        Self {
            leader: replicas.first().copied().unwrap_or(-1),
            leader_epoch: 0,
            in_sync: replicas.clone(),
            replicas,
            log: Log::new(config.retention_bytes),
            waiters: FetchWaiters::default(),
            file: None,
            producers: Producers::default(),
            aborted: Aborted::default(),
            epochs: Vec::new(),
        }
    }

    /// Appends a batch unless its producer has already had it appended.
    pub(crate) fn append(
        &mut self,
        batch: &IncomingBatch,
        config: &TopicConfig,
        now: i64,
    ) -> Result<Placed, RefusedRequest> {
        let header = &batch.raw.header;
        match self.producers.check(header) {
            AppendCheck::Append => {}
            AppendCheck::Duplicate(known) => {
                return Ok(Placed {
                    base_offset: known.base_offset,
                    append_time: known.append_time,
                });
            }
            AppendCheck::Refuse(code) => return Err(code.into()),
        }
        let append_time = config.log_append_time.then_some(now);
        let base_offset = match append_time {
            Some(now) => self.write(&batch.at(now)?)?,
            None => self.write(batch)?,
        };
        self.producers.remember(header, base_offset, append_time);
        self.note_epoch(base_offset);
        self.waiters.credit(batch.raw.bytes().len() as u64);
        Ok(Placed {
            base_offset,
            append_time,
        })
    }

    /// Writes the marker that ends a producer's transaction. `bumped`: the transaction ends in a later epoch (KIP-890).
    pub(crate) fn end_transaction(
        &mut self,
        marker: &TransactionMarker,
        bumped: bool,
    ) -> Result<(), ErrorCode> {
        self.producers.check_marker(marker, bumped)?;
        let bytes = marker
            .to_batch()
            .map_err(|_| ErrorCode::UnknownServerError)?;
        let Some(Ok(raw)) = batches(bytes).next() else {
            return Err(ErrorCode::UnknownServerError);
        };
        let batch = IncomingBatch {
            raw,
            max_timestamp: marker.timestamp,
        };
        let offset = self.write(&batch)?;
        self.note_marker(marker, offset);
        self.note_epoch(offset);
        // What was held back may now be read, however little was appended.
        self.waiters.wake();
        Ok(())
    }

    /// Appends to the file, where there is one, and to the log.
    fn write(&mut self, batch: &IncomingBatch) -> Result<i64, ErrorCode> {
        if let Some(file) = &mut self.file {
            let offset = self.log.end_offset();
            if let Err(error) = file.append(batch.raw.bytes(), offset, self.leader_epoch) {
                tracing::error!(%error, "a batch is refused: it cannot be written to its file");
                return Err(ErrorCode::KafkaStorageError);
            }
        }
        Ok(self.log.append(batch, self.leader_epoch))
    }

    fn note_marker(&mut self, marker: &TransactionMarker, offset: i64) {
        let first_offset = self.producers.end_transaction(marker);
        self.aborted.forget_before(self.log.start_offset());
        if let Some(first_offset) = first_offset.filter(|_| !marker.committed) {
            self.aborted.add(AbortedTxn {
                producer_id: marker.producer_id,
                first_offset,
                last_offset: offset,
                last_stable_offset: self.last_stable_offset(),
            });
        }
    }

    /// Puts back a batch of the file, in the order in which they were appended.
    pub(crate) fn restore(&mut self, raw: RawBatch) -> Result<(), RecordsError> {
        let header = raw.header;
        let marker = if header.attributes.is_control() {
            TransactionMarker::of(&raw.clone().open(&RESTORED)?)
        } else {
            None
        };
        let max_timestamp = header.max_timestamp;
        self.leader_epoch = header.partition_leader_epoch;
        self.log.restore(&IncomingBatch { raw, max_timestamp });
        match marker {
            Some(marker) => self.note_marker(&marker, header.base_offset),
            None => {
                let is_append_time =
                    header.attributes.timestamp_type() == TimestampType::LogAppendTime;
                let append_time = is_append_time.then_some(max_timestamp);
                self.producers
                    .remember(&header, header.base_offset, append_time);
            }
        }
        self.note_epoch(header.base_offset);
        Ok(())
    }

    /// Puts back the start and the end of the log, which its batches do not tell once the first or the last are gone.
    pub(crate) fn restore_bounds(&mut self, start: i64, end: i64) {
        self.log.restore_end(end);
        self.delete_before(start);
    }

    /// The offset up to which no transaction is open: the end for readers that want committed records only.
    pub(crate) fn last_stable_offset(&self) -> i64 {
        let end = self.log.end_offset();
        let first_unstable = self.producers.first_unstable_offset().unwrap_or(end);
        first_unstable.max(self.log.start_offset())
    }

    /// The aborted transactions that have records from `from` on and before `before`.
    pub(crate) fn aborted(&self, from: i64, before: i64) -> impl Iterator<Item = &AbortedTxn> {
        self.aborted.between(from, before)
    }

    /// Forgets the aborted transactions that readers need not know any more: those for which `gone` is true.
    pub(crate) fn forget_aborted(&mut self, gone: impl Fn(&AbortedTxn) -> bool) {
        self.aborted.forget(gone);
    }

    /// Epoch of each producer and, once it has one, the offset of the last record of its last batch.
    pub(crate) fn last_batches(&self) -> HashMap<i64, (i16, Option<i64>)> {
        self.producers.last_batches()
    }

    /// True if a producer has a transaction open here under this epoch.
    pub(crate) fn is_in_transaction(&self, producer_id: i64, producer_epoch: i16) -> bool {
        self.producers
            .is_in_transaction(producer_id, producer_epoch)
    }

    /// The producers that the partition remembers.
    pub(crate) fn active_producers(&self) -> Vec<DescribedProducer> {
        self.producers.describe()
    }

    /// Forgets what is before `offset` and returns the new start of the log.
    pub(crate) fn delete_before(&mut self, offset: i64) -> i64 {
        let start = self.log.delete_before(offset);
        self.aborted.forget_before(start);
        // Whoever waits on a part that is gone has to learn it.
        self.waiters.wake();
        start
    }

    fn note_epoch(&mut self, base_offset: i64) {
        if self
            .epochs
            .last()
            .is_none_or(|(epoch, _)| *epoch < self.leader_epoch)
        {
            self.epochs.push((self.leader_epoch, base_offset));
        }
    }

    /// Refuses what only the leader may answer, where `node` is another one.
    pub(crate) fn check_leader(&self, node: i32) -> Result<(), ErrorCode> {
        if self.leader == node {
            Ok(())
        } else {
            Err(ErrorCode::NotLeaderOrFollower)
        }
    }

    /// The error that descriptions of the partition have: LEADER_NOT_AVAILABLE while no node leads it.
    pub(crate) fn leader_error(&self) -> i16 {
        match self.leader {
            0.. => 0,
            _ => ErrorCode::LeaderNotAvailable.code(),
        }
    }

    /// Judges the leader epoch that a client believes in (KIP-320); -1 is a client that does not say.
    pub(crate) fn check_epoch(&self, believed: i32) -> Result<(), ErrorCode> {
        match believed {
            -1 => Ok(()),
            epoch if epoch < self.leader_epoch => Err(ErrorCode::FencedLeaderEpoch),
            epoch if epoch > self.leader_epoch => Err(ErrorCode::UnknownLeaderEpoch),
            _ => Ok(()),
        }
    }

    /// The largest epoch up to `asked` that has records, and the offset where it ended; -1 and -1 when there is none.
    pub(crate) fn end_of_epoch(&self, asked: i32) -> (i32, i64) {
        if asked == self.leader_epoch {
            return (self.leader_epoch, self.log.end_offset());
        }
        if asked > self.leader_epoch || asked < 0 {
            return (-1, -1);
        }
        let after = self.epochs.partition_point(|(epoch, _)| *epoch <= asked);
        let end = self
            .epochs
            .get(after)
            .map_or(self.log.end_offset(), |(_, start)| *start);
        match after
            .checked_sub(1)
            .and_then(|index| self.epochs.get(index))
        {
            Some((epoch, _)) => (*epoch, end),
            // Nothing that old is left: Kafka answers the epoch asked for and the start of what there is.
            None => (
                asked,
                end.min(
                    self.epochs
                        .first()
                        .map_or(self.log.start_offset(), |(_, start)| *start),
                ),
            ),
        }
    }

    /// Gives the partition to another node, which starts a new leader epoch.
    pub(crate) fn move_to(&mut self, node: i32) {
        if !self.replicas.contains(&node) {
            // As after a reassignment: the new leader takes the place of the old one.
            let old = self.leader;
            self.replicas.retain(|replica| *replica != old);
            self.in_sync.retain(|replica| *replica != old);
            self.replicas.insert(0, node);
        }
        if !self.in_sync.contains(&node) {
            self.in_sync.push(node);
        }
        self.lead_by(node);
    }

    /// Starts a new leader epoch; whoever waits on the partition looks again.
    pub(crate) fn lead_by(&mut self, node: i32) {
        self.leader = node;
        self.leader_epoch += 1;
        self.waiters.wake();
    }
}
