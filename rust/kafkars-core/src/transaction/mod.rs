//! The state machine of a transactional producer: its calls, and its requests to coordinators. It does no I/O.
//!
//! The application's calls ([`Transactions::init`], [`begin`](Transactions::begin),
//! [`send_offsets`](Transactions::send_offsets), [`commit`](Transactions::commit), [`abort`](Transactions::abort)) are
//! checked at once; those that need a broker return a [`TransactionCallId`]. The driver asks [`Transactions::poll`] for
//! the next request, of which there is at most one under way, brings its response to [`Transactions::answered`], and
//! finds the calls that have ended in [`Transactions::take_outcomes`]. The sender asks which batches may be sent
//! ([`Transactions::send_permission`], [`Transactions::admit`]) and reports records that failed.
//!
//! Two protocols, chosen by the cluster's finalized feature `transaction.version`:
//!
//! - Below 2, separate requests add partitions and groups before anything is sent to them, and one epoch serves many
//!   transactions. A request whose outcome is unknown may then arrive during a later transaction and end or change that
//!   one, so after any such request the producer takes a new epoch before the next transaction begins.
//! - From 2 on (KIP-890), brokers add partitions and groups by themselves and every end of a transaction brings a new
//!   epoch, so late requests are refused.
//!
//! A transaction open for `transaction_timeout_ms` is aborted here before the coordinator does it (KIP-588): to the
//! producer the coordinator's own abort looks like fencing, which is fatal. Nothing is taken off that time for the
//! abort's way: the coordinator counts from the arrival of what opened the transaction, and then looks for late ones
//! every ten seconds only.

mod answers;
pub(crate) mod call;
mod commands;
mod error_action;
mod message;
mod next_request;
mod sending;
mod step;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ApiKey;

pub use self::call::TransactionCall;
pub use self::message::{
    CoordinatorKind, Destination, Dispatch, FindCoordinator, GroupMetadata, NoAnswer,
    OffsetToCommit, TransactionRequest, TransactionResponse,
};
use self::step::CoordinatorStep;
use crate::backoff::{Backoff, Random};
use crate::produce::error::ProduceError;
pub use crate::produce::error::TransactionError;
use crate::produce::sequence::ProducerIdentity;

/// Settings of a transactional producer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionConfig {
    /// Names the producer across restarts; a new producer with the same id fences the old one. Not empty.
    pub transactional_id: Arc<str>,
    /// How long a transaction may be open. Default 60 s; the broker's `transaction.max.timeout.ms` bounds it.
    pub transaction_timeout: Duration,
    /// First pause before a request is sent again. Default 100 ms.
    pub retry_backoff: Duration,
    /// Longest such pause. Default 1 s.
    pub retry_backoff_max: Duration,
    /// How long the group's coordinator may not know the topic of an offset before the transaction is given up. Default
    /// 30 s, as a request may take.
    pub unknown_topic_limit: Duration,
}

/// Identifies a call under way; repeating the call until it ends returns the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransactionCallId(u64);

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionCallOutcome {
    /// The call.
    pub call_id: TransactionCallId,
    /// The result.
    pub result: Result<(), TransactionError>,
}

/// What the sender may do with batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendPermission {
    /// No batch may be sent for now.
    Closed,
    /// Batches of partitions in the transaction may be sent.
    Open,
    /// Batches that were sent before are sent again until their outcome is known; others fail with this error.
    RetriesOnly(ProduceError),
    /// All batches that are not under way fail with this error.
    Shut(ProduceError),
}

/// One transactional producer. See the module's documentation.
#[derive(Debug)]
pub struct Transactions {
    config: TransactionConfig,
    backoff: Backoff,
    random: Random,
    phase: TransactionPhase,
    identity: Option<ProducerIdentity>,
    version: Version,
    coordinator: Option<i32>,
    group_coordinator: Option<(Arc<str>, i32)>,
    partitions: HashMap<Arc<str>, HashMap<i32, PartitionInTransaction>>,
    // How many of `partitions` are not in the transaction yet.
    missing: usize,
    // The coordinator has no such partition as it was asked to add.
    partitions_in_doubt: bool,
    offsets: VecDeque<OffsetStep>,
    // When the first request or batch was sent that may have opened the transaction at the coordinator.
    started: Option<Instant>,
    // The older protocol only: what the coordinator knows of the open transaction.
    heard: OpenedAtCoordinator,
    // EndTxn was sent: from now on its response decides, not the time limit.
    ending: bool,
    // A request of this epoch may still be on its way, which matters in the older protocol only.
    indefinite: bool,
    // The next transaction needs a new epoch.
    renewal: bool,
    // An InitProducerId for a new epoch may still be on its way, and would end whatever transaction it meets.
    renewal_lost: bool,
    // The coordinator forgot the producer id and would refuse EndTxn.
    mapping_lost: bool,
    overdue: Overdue,
    in_flight: Option<CoordinatorStep>,
    failures: u32,
    // The error of the last request, until one succeeds.
    last_error: Option<Arc<str>>,
    // The broker that the last request was sent to.
    asked: Option<Destination>,
    // The coordinator that was asked last, also while another one is looked for.
    last_coordinator: Option<i32>,
    // A first InitProducerId got no answer: should it arrive late, it fences this producer although no other has come.
    init_lost: bool,
    not_before: Option<Instant>,
    call: Option<(TransactionCallId, TransactionCall)>,
    // The application left the open transaction to end by itself.
    left: bool,
    // A call that has succeeded after its caller stopped waiting.
    unheard: Option<TransactionCall>,
    // Transactions begun so far.
    begun: u64,
    last_call_id: u64,
    outcomes: Vec<TransactionCallOutcome>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TransactionPhase {
    Uninitialized,
    Initializing,
    Ready,
    InTransaction,
    Committing,
    /// With the error that made the abort necessary, if one did.
    Aborting(Option<TransactionError>),
    Abortable(TransactionError),
    Fatal(TransactionError),
}

/// Which transaction protocol the cluster speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// Whether a partition is part of the open transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartitionInTransaction {
    Wanted,
    Asked,
    Added,
}

/// Whether a transaction of the older protocol is open at its coordinator, which refuses to end one that is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenedAtCoordinator {
    Nothing,
    /// The request that would open it is under way.
    Asked,
    /// The outcome of that request is unknown.
    Perhaps,
    Surely,
}

/// The progress of the abort of a transaction that ran out of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overdue {
    No,
    Aborting,
    Aborted,
}

#[derive(Debug)]
struct OffsetStep {
    call_id: TransactionCallId,
    group: GroupMetadata,
    offsets: Vec<OffsetToCommit>,
    // The older protocol only: the group was added to the transaction.
    added: bool,
    // Since when the group's coordinator refuses them because it does not know a topic.
    unknown_topic_since: Option<Instant>,
}

impl Transactions {
    /// Creates the state of a producer that has no producer id yet. `seed` spreads retries.
    pub fn new(config: TransactionConfig, seed: u64) -> Self {
        Self {
            backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
            random: Random::new(seed),
            phase: TransactionPhase::Uninitialized,
            identity: None,
            version: Version::One,
            coordinator: None,
            group_coordinator: None,
            partitions: HashMap::new(),
            missing: 0,
            partitions_in_doubt: false,
            offsets: VecDeque::new(),
            started: None,
            heard: OpenedAtCoordinator::Nothing,
            ending: false,
            indefinite: false,
            renewal: false,
            renewal_lost: false,
            mapping_lost: false,
            overdue: Overdue::No,
            in_flight: None,
            failures: 0,
            last_error: None,
            asked: None,
            last_coordinator: None,
            init_lost: false,
            not_before: None,
            call: None,
            left: false,
            unheard: None,
            begun: 0,
            last_call_id: 0,
            outcomes: Vec::new(),
            config,
        }
    }

    /// The settings.
    pub fn config(&self) -> &TransactionConfig {
        &self.config
    }

    /// The producer id and epoch of batches; `None` while there is none or a new epoch is awaited.
    pub fn identity(&self) -> Option<ProducerIdentity> {
        if self.renewal && self.started.is_none() {
            return None;
        }
        self.identity
    }

    /// The highest version of Produce to use: later ones make brokers add partitions by themselves.
    pub fn produce_max_version(&self) -> i16 {
        match self.version {
            Version::One => 11,
            Version::Two => i16::MAX,
        }
    }

    /// True if a transaction is open: begun, and neither committed nor aborted.
    pub fn is_open(&self) -> bool {
        match self.phase {
            TransactionPhase::InTransaction
            | TransactionPhase::Committing
            | TransactionPhase::Aborting(_)
            | TransactionPhase::Abortable(_) => true,
            TransactionPhase::Uninitialized
            | TransactionPhase::Initializing
            | TransactionPhase::Ready
            | TransactionPhase::Fatal(_) => false,
        }
    }

    /// The state, by the name that the Java client has for it.
    pub fn state(&self) -> &'static str {
        match self.phase {
            TransactionPhase::Uninitialized | TransactionPhase::Initializing => "UNINITIALIZED",
            TransactionPhase::Ready => "READY",
            TransactionPhase::InTransaction => "IN_TRANSACTION",
            TransactionPhase::Committing => "COMMITTING_TRANSACTION",
            TransactionPhase::Aborting(_) => "ABORTING_TRANSACTION",
            TransactionPhase::Abortable(_) => "ABORTABLE_ERROR",
            TransactionPhase::Fatal(_) => "FATAL_ERROR",
        }
    }

    /// How many transactions were begun so far: the number of the open one.
    pub fn number(&self) -> u64 {
        self.begun
    }

    /// True if the open transaction was left to end by itself.
    pub fn is_left(&self) -> bool {
        self.left && self.is_open()
    }

    /// True if the open transaction is being committed.
    pub fn is_committing(&self) -> bool {
        self.phase == TransactionPhase::Committing
    }

    /// True if records must be sent without lingering because a commit or abort waits for them.
    pub fn is_ending(&self) -> bool {
        matches!(
            self.phase,
            TransactionPhase::Committing | TransactionPhase::Aborting(_)
        )
    }

    /// The error that ended the producer, if one did.
    pub fn fatal(&self) -> Option<&TransactionError> {
        match &self.phase {
            TransactionPhase::Fatal(error) => Some(error),
            _ => None,
        }
    }

    /// Takes the outcomes of calls that have ended.
    pub fn take_outcomes(&mut self) -> Vec<TransactionCallOutcome> {
        std::mem::take(&mut self.outcomes)
    }

    /// When to call [`Transactions::poll`] again even if nothing happens until then.
    pub fn next_wake(&self) -> Option<Instant> {
        let retry = match self.in_flight {
            Some(_) => None,
            None => self.not_before,
        };
        [retry, self.time_limit()].into_iter().flatten().min()
    }

    /// Says what the producer waits for: the last error, a response, or records.
    pub fn obstacle(&self) -> Arc<str> {
        let waits = match self.in_flight {
            Some(step) => format!("{} is not answered yet", self.asking(step)),
            None if self.is_ending() => "records of the transaction are not stored yet".to_owned(),
            None => "the transaction coordinator has not answered".to_owned(),
        };
        match &self.last_error {
            Some(error) if self.failures > 1 => {
                format!("{error} (the last of {} tries)", self.failures).into()
            }
            Some(error) => Arc::clone(error),
            None => waits.into(),
        }
    }

    /// The request under way, and the node id of its broker unless any broker may answer it.
    #[must_use]
    pub fn asked(&self) -> Option<(ApiKey, Option<i32>)> {
        let step = self.in_flight?;
        Some((step.api(), self.asked_node()))
    }

    /// The node id of the coordinator that was asked last, of the transaction or of a group.
    #[must_use]
    pub fn last_coordinator(&self) -> Option<i32> {
        self.last_coordinator
    }

    fn asked_node(&self) -> Option<i32> {
        match self.asked {
            Some(Destination::Node(node)) => Some(node),
            Some(Destination::AnyBroker) | None => None,
        }
    }

    fn asking(&self, step: CoordinatorStep) -> String {
        match self.asked_node() {
            Some(node) => format!("{} of broker {node}", step.api().name()),
            None => step.api().name().to_owned(),
        }
    }

    /// Forgets the coordinators, because they moved or the cluster changed.
    pub fn forget_coordinator(&mut self) {
        self.coordinator = None;
        self.group_coordinator = None;
    }

    fn time_limit(&self) -> Option<Instant> {
        let open = match self.phase {
            TransactionPhase::InTransaction => true,
            TransactionPhase::Committing => !self.ending,
            _ => false,
        };
        let started = self.started.filter(|_| open)?;
        Some(started + self.config.transaction_timeout)
    }
}

#[cfg(test)]
mod tests;
