//! Counters of a client, without locks.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::now;

/// Counters of a client since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientMetrics {
    /// Requests written or queued for writing.
    pub requests_sent: u64,
    /// Responses received.
    pub responses_received: u64,
    /// Bytes written to sockets.
    pub bytes_sent: u64,
    /// Bytes read from sockets.
    pub bytes_received: u64,
    /// Requests that wait for a response now.
    pub requests_in_flight: u64,
    /// Requests that got no response in time.
    pub requests_timed_out: u64,
    /// Connections made, including those that were closed since.
    pub connections_made: u64,
    /// Connections that are open now.
    pub connections_open: u64,
    /// Connections that could not be made.
    pub connections_failed: u64,
    /// Metadata responses received.
    pub metadata_refreshes: u64,
    /// Time in ms for which brokers asked to pause (KIP-219).
    pub throttle_time_ms: u64,
}

#[derive(Debug, Default)]
pub(crate) struct ClientCounters {
    pub(crate) requests_sent: AtomicU64,
    pub(crate) responses_received: AtomicU64,
    pub(crate) bytes_sent: AtomicU64,
    pub(crate) bytes_received: AtomicU64,
    pub(crate) requests_in_flight: AtomicU64,
    pub(crate) requests_timed_out: AtomicU64,
    pub(crate) connections_made: AtomicU64,
    pub(crate) connections_open: AtomicU64,
    pub(crate) connections_failed: AtomicU64,
    pub(crate) metadata_refreshes: AtomicU64,
    pub(crate) throttle_time_ms: AtomicU64,
    /// When a broker answered last: milliseconds after `EPOCH` plus one; 0 before the first answer.
    answered_at: AtomicU64,
}

/// The instant from which the times of answers are counted.
static EPOCH: LazyLock<Instant> = LazyLock::new(now);

impl ClientCounters {
    /// Notes that a broker has answered.
    pub(crate) fn answered(&self) {
        let since = now().saturating_duration_since(*EPOCH).as_millis() as u64;
        self.answered_at.store(since + 1, Relaxed);
    }

    /// When a broker answered last, if any has.
    pub(crate) fn answered_at(&self) -> Option<Instant> {
        let since = self.answered_at.load(Relaxed).checked_sub(1)?;
        Some(*EPOCH + Duration::from_millis(since))
    }

    pub(crate) fn snapshot(&self) -> ClientMetrics {
        ClientMetrics {
            requests_sent: self.requests_sent.load(Relaxed),
            responses_received: self.responses_received.load(Relaxed),
            bytes_sent: self.bytes_sent.load(Relaxed),
            bytes_received: self.bytes_received.load(Relaxed),
            requests_in_flight: self.requests_in_flight.load(Relaxed),
            requests_timed_out: self.requests_timed_out.load(Relaxed),
            connections_made: self.connections_made.load(Relaxed),
            connections_open: self.connections_open.load(Relaxed),
            connections_failed: self.connections_failed.load(Relaxed),
            metadata_refreshes: self.metadata_refreshes.load(Relaxed),
            throttle_time_ms: self.throttle_time_ms.load(Relaxed),
        }
    }
}

/// Counters of one broker's connections, which count for the whole client too.
#[derive(Debug, Clone, Default)]
pub(crate) struct BrokerCounters {
    pub(crate) broker: Arc<ClientCounters>,
    pub(crate) client: Arc<ClientCounters>,
}

impl BrokerCounters {
    pub(crate) fn add(&self, counter: impl Fn(&ClientCounters) -> &AtomicU64, amount: usize) {
        add(counter(&self.broker), amount);
        add(counter(&self.client), amount);
    }

    pub(crate) fn subtract(&self, counter: impl Fn(&ClientCounters) -> &AtomicU64, amount: usize) {
        subtract(counter(&self.broker), amount);
        subtract(counter(&self.client), amount);
    }

    pub(crate) fn throttled(&self, pause: Duration) {
        self.add(
            |counters| &counters.throttle_time_ms,
            pause.as_millis() as usize,
        );
    }
}

pub(crate) fn add(counter: &AtomicU64, amount: usize) {
    counter.fetch_add(amount as u64, Relaxed);
}

fn subtract(counter: &AtomicU64, amount: usize) {
    counter.fetch_sub(amount as u64, Relaxed);
}
