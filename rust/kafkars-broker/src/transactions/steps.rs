//! The steps of a transaction before its end: who the producer is, and what takes part.

use kafkars_protocol::ErrorCode;

use super::transaction::{NO_EPOCH, ProducerIdAndEpoch, Transaction, TransactionStage};
use super::{MAX_TIMEOUT_MS, TransactionCoordinator, TransactionalIds};

/// A participant of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Participant {
    Partition(String, i32),
    /// The offsets of a group.
    Group(String),
}

impl TransactionCoordinator<'_> {
    /// Gives a transactional producer its identity and fences whoever had it before.
    ///
    /// `expected` is what a producer believes to be that wants only its epoch bumped, to recover from an error
    /// (KIP-360). A transaction under way is aborted first; the producer has to ask again.
    pub(crate) fn init(
        &mut self,
        id: &str,
        timeout_ms: i32,
        expected: Option<ProducerIdAndEpoch>,
        now: i64,
    ) -> Result<ProducerIdAndEpoch, ErrorCode> {
        if id.is_empty() {
            return Err(ErrorCode::InvalidRequest);
        }
        if !(1..=MAX_TIMEOUT_MS).contains(&timeout_ms) {
            return Err(ErrorCode::InvalidTransactionTimeout);
        }
        self.expire(id, now);
        if self.transactions.get(id).is_none() {
            self.transactions.make_room(now)?;
            let transaction = Transaction::new(self.producer_ids.take(), timeout_ms, now);
            self.transactions.by_id.insert(id.to_owned(), transaction);
        }
        let Some(transaction) = self.transactions.by_id.get_mut(id) else {
            return Err(ErrorCode::UnknownServerError);
        };
        if expected.is_some_and(|expected| !transaction.may_be(expected.id, expected.epoch)) {
            return Err(ErrorCode::ProducerFenced);
        }
        match transaction.stage {
            TransactionStage::PrepareCommit | TransactionStage::PrepareAbort => {
                Err(ErrorCode::ConcurrentTransactions)
            }
            TransactionStage::Ongoing => {
                self.fence(id, now);
                Err(ErrorCode::ConcurrentTransactions)
            }
            TransactionStage::Empty
            | TransactionStage::CompleteCommit
            | TransactionStage::CompleteAbort => {
                let rotates = transaction.is_epoch_exhausted()
                    && expected.is_none_or(|expected| expected.epoch == transaction.producer_epoch);
                if rotates {
                    let last_epoch = expected.map_or(NO_EPOCH, |_| transaction.producer_epoch);
                    transaction.rotate(self.producer_ids.take());
                    transaction.last_producer_epoch = last_epoch;
                } else {
                    bump(transaction, expected)?;
                }
                transaction.stage = TransactionStage::Empty;
                transaction.timeout_ms = timeout_ms;
                transaction.started_at = -1;
                transaction.updated_at = now;
                Ok(ProducerIdAndEpoch {
                    id: transaction.producer_id,
                    epoch: transaction.producer_epoch,
                })
            }
        }
    }

    /// Makes partitions and groups part of the producer's transaction, which begins with the first.
    pub(crate) fn add(
        &mut self,
        id: &str,
        producer: ProducerIdAndEpoch,
        participants: &[Participant],
        now: i64,
    ) -> Result<(), ErrorCode> {
        if id.is_empty() {
            return Err(ErrorCode::InvalidRequest);
        }
        self.expire(id, now);
        let transactions = &mut *self.transactions;
        let transaction = transactions.of_producer(id, producer)?;
        if transaction.is_prepared() {
            return Err(ErrorCode::ConcurrentTransactions);
        }
        let begins = transaction.stage != TransactionStage::Ongoing;
        if begins {
            transaction.stage = TransactionStage::Ongoing;
            transaction.started_at = now;
        }
        transaction.updated_at = now;
        *self.unsaved = true;
        for participant in participants {
            match participant {
                Participant::Partition(topic, partition) => {
                    let _ = transaction.partitions.insert((topic.clone(), *partition));
                }
                Participant::Group(group) => {
                    let _ = transaction.groups.insert(group.clone());
                }
            }
        }
        if begins {
            let deadline = transaction.deadline();
            transactions.watch(id, deadline);
        }
        Ok(())
    }
}

impl TransactionalIds {
    /// Checks that something takes part in the producer's transaction.
    pub(crate) fn verify(
        &mut self,
        id: &str,
        producer: ProducerIdAndEpoch,
        participant: &Participant,
    ) -> Result<(), ErrorCode> {
        let transaction = self.of_producer(id, producer)?;
        if transaction.is_prepared() {
            return Err(ErrorCode::ConcurrentTransactions);
        }
        let takes_part = match participant {
            Participant::Partition(topic, partition) => transaction
                .partitions
                .contains(&(topic.clone(), *partition)),
            Participant::Group(group) => transaction.groups.contains(group),
        };
        if takes_part {
            Ok(())
        } else {
            Err(ErrorCode::TransactionAbortable)
        }
    }
}

/// Takes the next epoch; keeps the current one when the producer asks again because it did not get the answer.
fn bump(
    transaction: &mut Transaction,
    expected: Option<ProducerIdAndEpoch>,
) -> Result<(), ErrorCode> {
    let current = transaction.producer_epoch;
    let Some(expected) = expected else {
        transaction.last_producer_epoch = NO_EPOCH;
        transaction.producer_epoch = current.saturating_add(1);
        return Ok(());
    };
    if current == NO_EPOCH || expected.epoch == current {
        transaction.last_producer_epoch = current;
        transaction.producer_epoch = current.saturating_add(1);
        return Ok(());
    }
    if expected.epoch == transaction.last_producer_epoch {
        return Ok(());
    }
    Err(ErrorCode::ProducerFenced)
}
