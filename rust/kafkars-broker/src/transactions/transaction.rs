//! One transactional id: its producer's identity, and where its transaction stands.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The last epoch but one: a producer that reaches it gets a new id with its next bump.
const LAST_EPOCH: i16 = i16::MAX - 1;

/// How long after its end in milliseconds a transaction's time is found to be over. Kafka looks every ten seconds, so
/// that there a client which aborts on time is never overtaken.
const FOUND_AFTER_MS: i64 = 1_000;

/// The epoch of a producer that has none.
pub(crate) const NO_EPOCH: i16 = -1;
/// The producer id where there is none.
pub(crate) const NO_ID: i64 = -1;

/// A producer id with its epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProducerIdAndEpoch {
    pub(crate) id: i64,
    pub(crate) epoch: i16,
}

/// The state of a transactional id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Transaction {
    pub(crate) producer_id: i64,
    /// The id before the epochs of that one ran out, else -1.
    pub(crate) previous_producer_id: i64,
    pub(crate) producer_epoch: i16,
    /// The epoch before the latest bump, by which a producer that did not get the answer is recognised; else -1.
    pub(crate) last_producer_epoch: i16,
    /// `transaction.timeout.ms` of the producer.
    pub(crate) timeout_ms: i32,
    pub(crate) stage: TransactionStage,
    /// Partitions with records of the transaction, or with markers still to be written.
    pub(crate) partitions: BTreeSet<(String, i32)>,
    /// Groups with offsets that the transaction commits.
    pub(crate) groups: BTreeSet<String>,
    /// The time when the latest transaction began, -1 before the first.
    pub(crate) started_at: i64,
    pub(crate) updated_at: i64,
    /// The producer id that takes over when the markers are written, else -1.
    pub(crate) next_producer_id: i64,
    /// True if the end began a new epoch (KIP-890).
    pub(crate) bumped: bool,
}

/// The stage of a transaction; the names are those of `ListTransactions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum TransactionStage {
    Empty,
    Ongoing,
    PrepareCommit,
    PrepareAbort,
    CompleteCommit,
    CompleteAbort,
}

impl TransactionStage {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Ongoing => "Ongoing",
            Self::PrepareCommit => "PrepareCommit",
            Self::PrepareAbort => "PrepareAbort",
            Self::CompleteCommit => "CompleteCommit",
            Self::CompleteAbort => "CompleteAbort",
        }
    }
}

impl Transaction {
    /// A transactional id that has not been seen before. Its first bump gives epoch 0.
    pub(crate) fn new(producer_id: i64, timeout_ms: i32, now: i64) -> Self {
        Self {
            producer_id,
            previous_producer_id: NO_ID,
            producer_epoch: NO_EPOCH,
            last_producer_epoch: NO_EPOCH,
            timeout_ms,
            stage: TransactionStage::Empty,
            partitions: BTreeSet::new(),
            groups: BTreeSet::new(),
            started_at: -1,
            updated_at: now,
            next_producer_id: NO_ID,
            bumped: false,
        }
    }

    /// True if no transaction is under way.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(
            self.stage,
            TransactionStage::Empty
                | TransactionStage::CompleteCommit
                | TransactionStage::CompleteAbort
        )
    }

    pub(crate) fn is_prepared(&self) -> bool {
        matches!(
            self.stage,
            TransactionStage::PrepareCommit | TransactionStage::PrepareAbort
        )
    }

    /// The time when the transaction under way is aborted.
    pub(crate) fn deadline(&self) -> i64 {
        let allowed = i64::from(self.timeout_ms) + FOUND_AFTER_MS;
        self.started_at.saturating_add(allowed)
    }

    /// True if the next bump needs a new producer id.
    pub(crate) fn is_epoch_exhausted(&self) -> bool {
        self.producer_epoch >= LAST_EPOCH
    }

    /// True if a producer that says it has this identity can be this one (KIP-360).
    pub(crate) fn may_be(&self, id: i64, epoch: i16) -> bool {
        self.producer_epoch == NO_EPOCH
            || id == self.producer_id
            || id == self.previous_producer_id && epoch >= LAST_EPOCH
    }

    /// True if the producer asks again for an end that gave it a new producer id.
    pub(crate) fn is_retry_on_overflow(&self, id: i64, epoch: i16) -> bool {
        self.previous_producer_id == id && epoch == LAST_EPOCH && self.producer_epoch == 0
    }

    /// Goes on under another producer id, with its first epoch.
    pub(crate) fn rotate(&mut self, producer_id: i64) {
        self.previous_producer_id = self.producer_id;
        self.producer_id = producer_id;
        self.producer_epoch = 0;
    }
}
