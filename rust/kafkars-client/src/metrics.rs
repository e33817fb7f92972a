//! Counters of a client, without locks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use kafkars_protocol::ApiKey;

use crate::broker_traffic::{BrokerTraffic, Moment, TrafficCounters};
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
    answered_at: Moment,
}

impl ClientCounters {
    /// When a broker answered last, if any has.
    pub(crate) fn answered_at(&self) -> Option<Instant> {
        self.answered_at.get()
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
    traffic: Arc<TrafficCounters>,
}

impl BrokerCounters {
    pub(crate) fn new(client: Arc<ClientCounters>) -> Self {
        Self {
            client,
            ..Self::default()
        }
    }

    /// Notes a request.
    pub(crate) fn sent(&self, api: ApiKey, at: Instant) {
        self.add(|each| &each.requests_sent, 1);
        self.traffic.sent(api, at);
    }

    /// Notes a response to a request of this time, if there was one.
    pub(crate) fn answered(&self, sent_at: Option<Instant>) {
        let now = now();
        self.add(|each| &each.responses_received, 1);
        self.subtract(|each| &each.requests_in_flight, 1);
        self.client.answered_at.set(now);
        let taken = sent_at.map(|sent_at| now.saturating_duration_since(sent_at));
        self.traffic.answered(now, taken);
    }

    /// What has gone to the broker and come from it.
    pub(crate) fn traffic(&self) -> BrokerTraffic {
        self.traffic.snapshot(now())
    }

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
