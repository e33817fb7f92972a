//! The end of a transaction: decided by its producer, by its successor or by time, and written as markers into every log.

use kafkars_protocol::ErrorCode;
use kafkars_records::TransactionMarker;

use super::steps::Identity;
use super::transaction::{NO_ID, Stage, Transaction};
use super::{ProducerIds, Transactions, expire};
use crate::state::State;
use crate::topic::TopicKey;

/// Epoch of the coordinator: it is never elected anew.
const COORDINATOR_EPOCH: i32 = 0;

/// A producer's wish to end its transaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End<'a> {
    pub(crate) id: &'a str,
    pub(crate) producer: Identity,
    pub(crate) committed: bool,
    /// Whether the producer goes on in the next epoch (KIP-890, `EndTxn` since version 5).
    pub(crate) bumps: bool,
}

/// What an end comes to.
enum Verdict {
    Prepare,
    /// It has ended in this way already.
    Done,
}

/// Ends a transaction and gives the identity with which the producer goes on.
pub(crate) fn end(state: &mut State, wish: End<'_>, now: i64) -> Result<Identity, ErrorCode> {
    if wish.id.is_empty() {
        return Err(ErrorCode::InvalidRequest);
    }
    expire(state, wish.id, now);
    let State {
        transactions,
        producer_ids,
        ..
    } = state;
    let transaction = transactions
        .by_id
        .get_mut(wish.id)
        .ok_or(ErrorCode::InvalidProducerIdMapping)?;
    match judge(transaction, &wish)? {
        Verdict::Done => {}
        Verdict::Prepare => {
            prepare(transaction, producer_ids, &wish, now);
            transactions.note_prepared(wish.id);
            let ended = complete(state, wish.id, now);
            if let Some(next) = ended {
                return Ok(next);
            }
        }
    }
    let transaction = state
        .transactions
        .get(wish.id)
        .ok_or(ErrorCode::UnknownServerError)?;
    Ok(match transaction.next_producer_id {
        NO_ID => Identity {
            id: transaction.producer_id,
            epoch: transaction.producer_epoch,
        },
        id => Identity { id, epoch: 0 },
    })
}

/// Aborts a transaction in the name of a new epoch, so that whoever began it can do no more.
pub(crate) fn fence(state: &mut State, id: &str, now: i64) {
    let Some(transaction) = state.transactions.by_id.get_mut(id) else {
        return;
    };
    transaction.last_producer_epoch = transaction.producer_epoch;
    transaction.producer_epoch = transaction.producer_epoch.saturating_add(1);
    transaction.next_producer_id = NO_ID;
    transaction.bumped = true;
    transaction.stage = Stage::PrepareAbort;
    transaction.updated_at = now;
    state.transactions.note_prepared(id);
    complete(state, id, now);
}

/// Tries again to write the markers that found no leader.
pub(crate) fn complete_prepared(state: &mut State, now: i64) {
    let prepared: Vec<String> = state.transactions.prepared.iter().cloned().collect();
    for id in prepared {
        complete(state, &id, now);
    }
}

fn judge(transaction: &Transaction, wish: &End<'_>) -> Result<Verdict, ErrorCode> {
    let Identity { id, epoch } = wish.producer;
    let overflowed = wish.bumps && transaction.is_retry_on_overflow(id, epoch);
    if transaction.producer_id != id && !overflowed {
        return Err(ErrorCode::InvalidProducerIdMapping);
    }
    // The producer did not get the answer that told it its next epoch.
    let bumped = wish.bumps && i32::from(transaction.producer_epoch) == i32::from(epoch) + 1;
    let retries = bumped || overflowed;
    let current = transaction.producer_epoch == epoch;
    let valid = match transaction.stage {
        Stage::Empty | Stage::Ongoing => current,
        Stage::PrepareCommit | Stage::PrepareAbort => {
            if wish.bumps {
                bumped
            } else {
                current
            }
        }
        Stage::CompleteCommit | Stage::CompleteAbort => retries || current,
    };
    if !valid {
        return Err(ErrorCode::ProducerFenced);
    }
    // Since KIP-890 the same epoch names the next transaction, in which nothing has happened yet: it may be aborted.
    let fresh = wish.bumps && !retries;
    match (transaction.stage, wish.committed) {
        (Stage::Ongoing, _) => Ok(Verdict::Prepare),
        (Stage::PrepareCommit, true) | (Stage::PrepareAbort, false) => {
            Err(ErrorCode::ConcurrentTransactions)
        }
        (Stage::Empty | Stage::CompleteCommit | Stage::CompleteAbort, false) if fresh => {
            Ok(Verdict::Prepare)
        }
        (Stage::CompleteCommit, true) | (Stage::CompleteAbort, false) if !fresh => {
            Ok(Verdict::Done)
        }
        _ => Err(ErrorCode::InvalidTxnState),
    }
}

fn prepare(transaction: &mut Transaction, ids: &mut ProducerIds, wish: &End<'_>, now: i64) {
    if transaction.stage != Stage::Ongoing {
        transaction.started_at = now;
    }
    transaction.stage = if wish.committed {
        Stage::PrepareCommit
    } else {
        Stage::PrepareAbort
    };
    transaction.updated_at = now;
    transaction.bumped = wish.bumps;
    transaction.next_producer_id = NO_ID;
    if wish.bumps {
        if transaction.is_epoch_exhausted() {
            transaction.next_producer_id = ids.take();
        }
        transaction.last_producer_epoch = transaction.producer_epoch;
        transaction.producer_epoch = transaction.producer_epoch.saturating_add(1);
    }
}

/// Writes the markers of a prepared transaction. None while one of its partitions has no leader.
fn complete(state: &mut State, id: &str, now: i64) -> Option<Identity> {
    let transaction = state.transactions.by_id.get(id)?;
    if !transaction.is_prepared() {
        return None;
    }
    let (partitions, groups) = (transaction.partitions.clone(), transaction.groups.clone());
    let bumped = transaction.bumped;
    let marker = TransactionMarker {
        committed: transaction.stage == Stage::PrepareCommit,
        producer_id: transaction.producer_id,
        producer_epoch: transaction.producer_epoch,
        coordinator_epoch: COORDINATOR_EPOCH,
        timestamp: now,
    };
    for group in &groups {
        let (id, committed) = (marker.producer_id, marker.committed);
        state.groups.offsets.end_transaction(id, group, committed);
    }
    let mut waiting = partitions;
    waiting.retain(|(topic, index)| {
        match state.find_partition(&TopicKey::Name(topic.clone()), *index) {
            Ok(partition) if partition.leader < 0 => true,
            Ok(partition) => {
                // A partition that knows a later epoch of this producer has no records left to end.
                let _ = partition.end_transaction(&marker, bumped);
                false
            }
            Err(_) => false,
        }
    });
    let done = waiting.is_empty();
    let transaction = state.transactions.by_id.get_mut(id)?;
    transaction.groups.clear();
    transaction.partitions = waiting;
    if !done {
        return None;
    }
    transaction.stage = if marker.committed {
        Stage::CompleteCommit
    } else {
        Stage::CompleteAbort
    };
    if transaction.next_producer_id != NO_ID {
        let next = std::mem::replace(&mut transaction.next_producer_id, NO_ID);
        transaction.rotate(next);
    }
    let next = Identity {
        id: transaction.producer_id,
        epoch: transaction.producer_epoch,
    };
    state.transactions.prepared.remove(id);
    Some(next)
}

impl Transactions {
    /// The transaction is no longer open, and its markers have to be written.
    fn note_prepared(&mut self, id: &str) {
        if let Some(transaction) = self.by_id.get(id) {
            self.deadlines
                .remove(&(transaction.deadline(), id.to_owned()));
        }
        self.prepared.insert(id.to_owned());
        self.changed.notify_one();
    }
}
