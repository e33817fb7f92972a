//! Transactions as their coordinator sees them (KIP-98, KIP-360, KIP-588, KIP-890).
//!
//! One state for the whole cluster: which node coordinates a transactional id is asked before anything here is called.
//!
//! All nodes share the logs, so the markers that end a transaction are written before its end is answered, unless a
//! partition has no leader: then the transaction stays prepared until there is one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use tokio::sync::Notify;

use crate::groups::offsets::CommittedOffsets;
use crate::topic::Topic;

pub(crate) mod ending;
pub(crate) mod steps;
mod timeouts;
mod transaction;

pub(crate) use transaction::{ProducerIdAndEpoch, Transaction, TransactionStage};

/// Longest `transaction.timeout.ms` that is taken; Kafka's `transaction.max.timeout.ms`.
pub(crate) const MAX_TIMEOUT_MS: i32 = 900_000;
/// The time that an id which is not used is remembered; Kafka's `transactional.id.expiration.ms`.
const EXPIRATION_MS: i64 = 7 * 24 * 60 * 60 * 1000;
/// Transactional ids that are remembered at most. Kafka has no such limit.
const IDS: usize = 100_000;

/// All transactional ids.
#[derive(Debug, Default)]
pub(crate) struct TransactionalIds {
    by_id: BTreeMap<String, Transaction>,
    /// The deadlines of transactions that are open.
    deadlines: BTreeSet<(i64, String)>,
    /// Ids of transactions whose markers are not all written.
    prepared: BTreeSet<String>,
    /// Notified when there is an earlier deadline, or something prepared.
    changed: Arc<Notify>,
}

/// The coordinator of transactions at work: what it decides on and what it writes to, parts of one state.
#[derive(Debug)]
pub(crate) struct TransactionCoordinator<'a> {
    pub(crate) transactions: &'a mut TransactionalIds,
    pub(crate) producer_ids: &'a mut ProducerIds,
    /// The offsets that groups have committed.
    pub(crate) offsets: &'a mut CommittedOffsets,
    pub(crate) topics: &'a mut BTreeMap<String, Topic>,
    /// Set to true when something has changed that is to be kept.
    pub(crate) unsaved: &'a mut bool,
}

/// The producer ids that are given out.
#[derive(Debug)]
pub(crate) struct ProducerIds {
    next: i64,
}

impl ProducerIds {
    pub(crate) fn starting_at(next: i64) -> Self {
        Self { next }
    }

    /// The next id to be given out.
    pub(crate) fn next(&self) -> i64 {
        self.next
    }

    pub(crate) fn take(&mut self) -> i64 {
        let id = self.next;
        self.next += 1;
        id
    }
}

impl TransactionalIds {
    pub(crate) fn get(&self, id: &str) -> Option<&Transaction> {
        self.by_id.get(id)
    }

    /// Every transactional id, in alphabetical order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Transaction)> {
        self.by_id
            .iter()
            .map(|(id, transaction)| (id.as_str(), transaction))
    }

    /// Puts back a transactional id after a restart.
    pub(crate) fn restore(&mut self, id: String, transaction: Transaction) {
        if transaction.stage == TransactionStage::Ongoing {
            self.deadlines.insert((transaction.deadline(), id.clone()));
        }
        if transaction.is_prepared() {
            self.prepared.insert(id.clone());
        }
        self.by_id.insert(id, transaction);
        self.changed.notify_one();
    }

    /// The transaction that a producer has open.
    pub(crate) fn ongoing_of(&mut self, producer_id: i64) -> Option<&mut Transaction> {
        self.by_id
            .values_mut()
            .find(|transaction| transaction.producer_id == producer_id && !transaction.is_idle())
    }

    /// The transaction of a producer that says who it is.
    fn of_producer(
        &mut self,
        id: &str,
        producer: ProducerIdAndEpoch,
    ) -> Result<&mut Transaction, ErrorCode> {
        let transaction = self
            .by_id
            .get_mut(id)
            .ok_or(ErrorCode::InvalidProducerIdMapping)?;
        if transaction.producer_id != producer.id {
            return Err(ErrorCode::InvalidProducerIdMapping);
        }
        if transaction.producer_epoch != producer.epoch {
            return Err(ErrorCode::ProducerFenced);
        }
        Ok(transaction)
    }

    /// Makes room for one more id by forgetting those that have not been used for long.
    fn make_room(&mut self, now: i64) -> Result<(), ErrorCode> {
        if self.by_id.len() < IDS {
            return Ok(());
        }
        self.by_id.retain(|_, transaction| {
            !transaction.is_idle() || now - transaction.updated_at < EXPIRATION_MS
        });
        if self.by_id.len() < IDS {
            Ok(())
        } else {
            Err(ErrorCode::PolicyViolation)
        }
    }
}

impl TransactionCoordinator<'_> {
    /// Forgets an id that has not been used for as long as Kafka remembers it.
    fn expire(&mut self, id: &str, now: i64) {
        let by_id = &mut self.transactions.by_id;
        let expired = by_id
            .get(id)
            .is_some_and(|found| found.is_idle() && now - found.updated_at >= EXPIRATION_MS);
        if expired {
            by_id.remove(id);
        }
    }
}
