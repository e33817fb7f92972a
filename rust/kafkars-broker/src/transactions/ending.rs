//! The end of a transaction: decided by its producer, by its successor or by time, and written as markers into every
//! log.

use kafkars_protocol::ErrorCode;
use kafkars_records::TransactionMarker;

use super::transaction::{NO_ID, ProducerIdAndEpoch, Transaction, TransactionStage};
use super::{ProducerIds, TransactionCoordinator, TransactionalIds};

/// Epoch of the coordinator: it is never elected anew.
const COORDINATOR_EPOCH: i32 = 0;

/// The end of a transaction, as its producer asks for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransactionEnd<'a> {
    pub(crate) id: &'a str,
    pub(crate) producer: ProducerIdAndEpoch,
    pub(crate) committed: bool,
    /// True if the producer goes on in the next epoch (KIP-890, `EndTxn` since version 5).
    pub(crate) bumps: bool,
}

/// The outcome of the check of an end.
enum EndCheck {
    Prepare,
    /// The transaction has ended in this way already.
    Done,
}

impl TransactionCoordinator<'_> {
    /// Ends a transaction and gives the identity with which the producer goes on.
    pub(crate) fn end(
        &mut self,
        end: TransactionEnd<'_>,
        now: i64,
    ) -> Result<ProducerIdAndEpoch, ErrorCode> {
        if end.id.is_empty() {
            return Err(ErrorCode::InvalidRequest);
        }
        self.expire(end.id, now);
        let transaction = self
            .transactions
            .by_id
            .get_mut(end.id)
            .ok_or(ErrorCode::InvalidProducerIdMapping)?;
        match check(transaction, &end)? {
            EndCheck::Done => {}
            EndCheck::Prepare => {
                prepare(transaction, self.producer_ids, &end, now);
                self.transactions.note_prepared(end.id);
                let ended = self.complete(end.id, now);
                if let Some(next) = ended {
                    return Ok(next);
                }
            }
        }
        let transaction = self
            .transactions
            .get(end.id)
            .ok_or(ErrorCode::UnknownServerError)?;
        Ok(match transaction.next_producer_id {
            NO_ID => ProducerIdAndEpoch {
                id: transaction.producer_id,
                epoch: transaction.producer_epoch,
            },
            id => ProducerIdAndEpoch { id, epoch: 0 },
        })
    }

    /// Aborts a transaction in the name of a new epoch, so that whoever began it can do no more.
    pub(super) fn fence(&mut self, id: &str, now: i64) {
        let Some(transaction) = self.transactions.by_id.get_mut(id) else {
            return;
        };
        transaction.last_producer_epoch = transaction.producer_epoch;
        transaction.producer_epoch = transaction.producer_epoch.saturating_add(1);
        transaction.next_producer_id = NO_ID;
        transaction.bumped = true;
        transaction.stage = TransactionStage::PrepareAbort;
        transaction.updated_at = now;
        self.transactions.note_prepared(id);
        self.complete(id, now);
    }

    /// Tries again to write the markers that found no leader.
    pub(super) fn complete_prepared(&mut self, now: i64) {
        let prepared: Vec<String> = self.transactions.prepared.iter().cloned().collect();
        for id in prepared {
            self.complete(&id, now);
        }
    }

    /// Writes the markers of a prepared transaction. None while one of its partitions has no leader.
    fn complete(&mut self, id: &str, now: i64) -> Option<ProducerIdAndEpoch> {
        let transaction = self.transactions.by_id.get(id)?;
        if !transaction.is_prepared() {
            return None;
        }
        let (partitions, groups) = (transaction.partitions.clone(), transaction.groups.clone());
        let bumped = transaction.bumped;
        let marker = TransactionMarker {
            committed: transaction.stage == TransactionStage::PrepareCommit,
            producer_id: transaction.producer_id,
            producer_epoch: transaction.producer_epoch,
            coordinator_epoch: COORDINATOR_EPOCH,
            timestamp: now,
        };
        for group in &groups {
            let (id, committed) = (marker.producer_id, marker.committed);
            self.offsets.end_transaction(id, group, committed);
        }
        let mut waiting = partitions;
        waiting.retain(|(topic, index)| {
            let topic = self.topics.get_mut(topic);
            let Some(partition) = topic.and_then(|topic| topic.partition_mut(*index)) else {
                return false;
            };
            let has_leader = partition.leader >= 0;
            if has_leader {
                // A partition that knows a later epoch of this producer has no records left to end.
                let _ = partition.end_transaction(&marker, bumped);
            }
            !has_leader
        });
        let done = waiting.is_empty();
        let transaction = self.transactions.by_id.get_mut(id)?;
        transaction.groups.clear();
        transaction.partitions = waiting;
        if !done {
            return None;
        }
        transaction.stage = if marker.committed {
            TransactionStage::CompleteCommit
        } else {
            TransactionStage::CompleteAbort
        };
        if transaction.next_producer_id != NO_ID {
            let next = std::mem::replace(&mut transaction.next_producer_id, NO_ID);
            transaction.rotate(next);
        }
        let next = ProducerIdAndEpoch {
            id: transaction.producer_id,
            epoch: transaction.producer_epoch,
        };
        self.transactions.prepared.remove(id);
        Some(next)
    }
}

impl TransactionalIds {
    /// Notes that a transaction is no longer open, and that its markers have to be written.
    fn note_prepared(&mut self, id: &str) {
        if let Some(transaction) = self.by_id.get(id) {
            self.deadlines
                .remove(&(transaction.deadline(), id.to_owned()));
        }
        self.prepared.insert(id.to_owned());
        self.changed.notify_one();
    }
}

fn check(transaction: &Transaction, end: &TransactionEnd<'_>) -> Result<EndCheck, ErrorCode> {
    let ProducerIdAndEpoch { id, epoch } = end.producer;
    let overflowed = end.bumps && transaction.is_retry_on_overflow(id, epoch);
    if transaction.producer_id != id && !overflowed {
        return Err(ErrorCode::InvalidProducerIdMapping);
    }
    // The producer did not get the answer that told it its next epoch.
    let bumped = end.bumps && i32::from(transaction.producer_epoch) == i32::from(epoch) + 1;
    let retries = bumped || overflowed;
    let current = transaction.producer_epoch == epoch;
    let valid = match transaction.stage {
        TransactionStage::Empty | TransactionStage::Ongoing => current,
        TransactionStage::PrepareCommit | TransactionStage::PrepareAbort => {
            if end.bumps {
                bumped
            } else {
                current
            }
        }
        TransactionStage::CompleteCommit | TransactionStage::CompleteAbort => retries || current,
    };
    if !valid {
        return Err(ErrorCode::ProducerFenced);
    }
    // Since KIP-890 the same epoch names the next transaction, in which nothing has happened yet: it may be aborted.
    let fresh = end.bumps && !retries;
    match (transaction.stage, end.committed) {
        (TransactionStage::Ongoing, _) => Ok(EndCheck::Prepare),
        (TransactionStage::PrepareCommit, true) | (TransactionStage::PrepareAbort, false) => {
            Err(ErrorCode::ConcurrentTransactions)
        }
        (
            TransactionStage::Empty
            | TransactionStage::CompleteCommit
            | TransactionStage::CompleteAbort,
            false,
        ) if fresh => Ok(EndCheck::Prepare),
        (TransactionStage::CompleteCommit, true) | (TransactionStage::CompleteAbort, false)
            if !fresh =>
        {
            Ok(EndCheck::Done)
        }
        _ => Err(ErrorCode::InvalidTxnState),
    }
}

fn prepare(
    transaction: &mut Transaction,
    ids: &mut ProducerIds,
    end: &TransactionEnd<'_>,
    now: i64,
) {
    if transaction.stage != TransactionStage::Ongoing {
        transaction.started_at = now;
    }
    transaction.stage = if end.committed {
        TransactionStage::PrepareCommit
    } else {
        TransactionStage::PrepareAbort
    };
    transaction.updated_at = now;
    transaction.bumped = end.bumps;
    transaction.next_producer_id = NO_ID;
    if end.bumps {
        if transaction.is_epoch_exhausted() {
            transaction.next_producer_id = ids.take();
        }
        transaction.last_producer_epoch = transaction.producer_epoch;
        transaction.producer_epoch = transaction.producer_epoch.saturating_add(1);
    }
}
