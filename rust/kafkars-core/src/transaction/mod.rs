//! The transactional producer's conversation with its coordinators, without I/O.
//!
//! The application's calls ([`Transactions::init`], [`begin`](Transactions::begin),
//! [`send_offsets`](Transactions::send_offsets), [`commit`](Transactions::commit), [`abort`](Transactions::abort)) are
//! checked at once; those that need a broker return a [`TransactionCallId`]. The driver asks [`Transactions::poll`] for
//! the next request, of which there is at most one under way, brings its answer to [`Transactions::answered`], and
//! finds finished tickets in [`Transactions::take_outcomes`]. The sending half asks which batches may leave
//! ([`Transactions::send_permission`], [`Transactions::admit`]) and reports records that failed.
//!
//! Two protocols, chosen by the cluster's finalized feature `transaction.version`:
//!
//! - Below 2, partitions and groups are added by requests of their own before anything is sent to them, and one epoch
//!   serves many transactions. A request whose fate is unknown may then arrive during a later transaction and end or
//!   change that one, so after any such request the producer takes a new epoch before the next transaction begins.
//! - From 2 on (KIP-890), brokers add partitions and groups by themselves and every end of a transaction brings a new
//!   epoch, so late requests are refused.
//!
//! A transaction open for nearly `transaction_timeout_ms` is aborted here before the coordinator does it (KIP-588): the
//! coordinator's own abort looks to the producer like being fenced, and ends it.

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

/// How long before its end a transaction is aborted at most: the abort must reach the coordinator before it looks at
/// its clock.
const LONGEST_MARGIN: Duration = Duration::from_secs(1);

/// Settings of a transactional producer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionConfig {
    /// Names the producer across restarts; a new one with the same id fences the old. Not empty.
    pub transactional_id: Arc<str>,
    /// How long a transaction may be open. Default 60 s; the broker's `transaction.max.timeout.ms` bounds it.
    pub transaction_timeout: Duration,
    /// First pause before a request is sent again. Default 100 ms.
    pub retry_backoff: Duration,
    /// Longest such pause. Default 1 s.
    pub retry_backoff_max: Duration,
}

/// A call under way; repeating the call while it is under way gives the same ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransactionCallId(u64);

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionCallOutcome {
    /// Which.
    pub ticket: TransactionCallId,
    /// The result.
    pub result: Result<(), TransactionError>,
}

/// What the sending half may do with batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendPermission {
    /// Nothing leaves for now.
    Closed,
    /// Batches of admitted partitions leave.
    Open,
    /// Batches that were tried are tried again until their fate is known; others fail with this error.
    RetriesOnly(ProduceError),
    /// Whatever is not under way fails with this error.
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
    // How many of them are not in the transaction yet.
    missing: usize,
    offsets: VecDeque<OffsetStep>,
    // When the coordinator first heard of the open transaction, or may have.
    started: Option<Instant>,
    // The older protocol only: what the coordinator knows of the open transaction.
    heard: OpenedAtCoordinator,
    // EndTxn went out: its result counts, whatever time it is.
    ending: bool,
    // The older protocol only: a request of this epoch may still be on its way.
    indefinite: bool,
    // The next transaction needs a new epoch.
    renewal: bool,
    // A request for one may still be on its way, and would end whatever transaction it meets.
    renewal_lost: bool,
    // The coordinator forgot the producer id and would refuse EndTxn.
    mapping_lost: bool,
    overdue: Overdue,
    in_flight: Option<CoordinatorStep>,
    failures: u32,
    // What the last request met, until one succeeds.
    last_error: Option<Arc<str>>,
    // Who was asked last.
    asked: Option<Destination>,
    // The coordinator that was asked last, also while another one is looked for.
    last_coordinator: Option<i32>,
    // A first InitProducerId got no answer: should it arrive late, it fences this producer although no other has come.
    init_lost: bool,
    not_before: Option<Instant>,
    call: Option<(TransactionCallId, TransactionCall)>,
    // The application left the open transaction to end by itself.
    left: bool,
    // A call that has succeeded when nobody waited for it any more.
    unheard: Option<TransactionCall>,
    // Transactions begun so far.
    begun: u64,
    next_ticket: u64,
    outcomes: Vec<TransactionCallOutcome>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TransactionPhase {
    Uninitialized,
    Initializing,
    Ready,
    InTransaction,
    Committing,
    /// With what made it necessary, where it was an error.
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

/// A partition's place in the open transaction.
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
    /// What became of that request is unknown.
    Perhaps,
    Surely,
}

/// The abort of a transaction that ran out of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Overdue {
    No,
    Aborting,
    Aborted,
}

#[derive(Debug)]
struct OffsetStep {
    ticket: TransactionCallId,
    group: GroupMetadata,
    offsets: Vec<OffsetToCommit>,
    // The older protocol only: the coordinator knows of the group.
    added: bool,
}

impl Transactions {
    /// A producer that has not said who it is yet. `seed` spreads retries.
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
            next_ticket: 0,
            outcomes: Vec::new(),
            config,
        }
    }

    /// The settings.
    pub fn config(&self) -> &TransactionConfig {
        &self.config
    }

    /// What batches are numbered with; `None` while there is none or a new one is awaited.
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

    /// Whether a transaction is open: begun, and neither committed nor aborted.
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

    /// How many transactions were begun so far: the number of the open one.
    pub fn number(&self) -> u64 {
        self.begun
    }

    /// Whether the open transaction was left to end by itself, and has not.
    pub fn is_left(&self) -> bool {
        self.left && self.is_open()
    }

    /// Whether the open transaction is being committed.
    pub fn is_committing(&self) -> bool {
        self.phase == TransactionPhase::Committing
    }

    /// Whether records must leave without lingering because a call waits for them.
    pub fn is_ending(&self) -> bool {
        matches!(
            self.phase,
            TransactionPhase::Committing | TransactionPhase::Aborting(_)
        )
    }

    /// What ended the producer, if anything did.
    pub fn fatal(&self) -> Option<&TransactionError> {
        match &self.phase {
            TransactionPhase::Fatal(error) => Some(error),
            _ => None,
        }
    }

    /// Calls that have ended since the last look.
    pub fn take_outcomes(&mut self) -> Vec<TransactionCallOutcome> {
        std::mem::take(&mut self.outcomes)
    }

    /// When to poll again although nothing happens.
    pub fn next_wake(&self) -> Option<Instant> {
        let retry = match self.in_flight {
            Some(_) => None,
            None => self.not_before,
        };
        [retry, self.time_limit()].into_iter().flatten().min()
    }

    /// What the producer waits for: the last request's answer, or what became of it.
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

    /// The request that is under way, and the broker it went to where it is for one alone.
    #[must_use]
    pub fn asked(&self) -> Option<(ApiKey, Option<i32>)> {
        let step = self.in_flight?;
        Some((step.api(), self.asked_node()))
    }

    /// The coordinator that was asked last, of the transaction or of a group.
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

    /// The coordinator moved or the cluster changed: look it up again.
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
        let timeout = self.config.transaction_timeout;
        Some(started + timeout - (timeout / 10).min(LONGEST_MARGIN))
    }
}

#[cfg(test)]
mod tests;
