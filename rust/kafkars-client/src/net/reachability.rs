//! Logs which brokers cannot be reached: a warning when an address fails for the first time, and a line when it answers
//! again. The tries between are logged for debugging only.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::watch;

use crate::error::ConnectCause;
use crate::now;

/// Addresses come from brokers too, so their number is bounded; a cluster has fewer than this.
const MOST_ADDRESSES: usize = 10_000;

/// Addresses whose last try failed.
#[derive(Debug)]
pub(crate) struct Reachability {
    /// What log lines call the client.
    client: Arc<str>,
    outages: Mutex<HashMap<Arc<str>, Outage>>,
    failures: AtomicU64,
    /// Counts how often an address failed, or was reached again.
    changes: watch::Sender<u64>,
    /// Counts connections that have ended.
    ends: watch::Sender<u64>,
}

#[derive(Debug)]
struct Outage {
    since: Instant,
    attempts: u32,
    latest: Failure,
}

/// A try to connect that failed.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    /// Why.
    pub(crate) cause: ConnectCause,
    /// Its number among the failures of all addresses, by which it is told from earlier ones.
    pub(crate) number: u64,
}

impl Reachability {
    /// Makes the state of the client with this name.
    pub(crate) fn new(client: Arc<str>) -> Self {
        Self {
            client,
            outages: Mutex::default(),
            failures: AtomicU64::new(0),
            changes: watch::Sender::new(0),
            ends: watch::Sender::new(0),
        }
    }

    /// Why the last try of an address failed; `None` if it did not.
    pub(crate) fn failure(&self, address: &str) -> Option<Failure> {
        let outages = self.outages.lock();
        outages.get(address).map(|outage| outage.latest.clone())
    }

    /// Watches for failures, and for ends of outages.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Notes a failed try. Returns true if it is the first in a row for this address.
    pub(crate) fn failed(&self, address: &Arc<str>, cause: &ConnectCause) -> bool {
        let mut outages = self.outages.lock();
        let latest = Failure {
            cause: cause.clone(),
            number: self.failures.fetch_add(1, Ordering::Relaxed),
        };
        if let Some(outage) = outages.get_mut(address) {
            outage.attempts = outage.attempts.saturating_add(1);
            let attempts = outage.attempts;
            outage.latest = latest;
            drop(outages);
            self.changed();
            tracing::debug!(target: "kafkars::net", client = %self.client, broker = %address, attempts, %cause, "still cannot connect");
            return false;
        }
        if outages.len() >= MOST_ADDRESSES {
            outages.clear();
        }
        let outage = Outage {
            since: now(),
            attempts: 1,
            latest,
        };
        outages.insert(Arc::clone(address), outage);
        drop(outages);
        self.changed();
        tracing::warn!(
            target: "kafkars::net",
            client = %self.client,
            broker = %address,
            %cause,
            "cannot connect; goes on trying, and says when it succeeds"
        );
        true
    }

    /// Notes a connection that was made. Returns after how many failed tries, if there were any.
    pub(crate) fn reached(&self, address: &Arc<str>) -> Option<u32> {
        let outage = self.outages.lock().remove(address)?;
        self.changed();
        tracing::warn!(
            target: "kafkars::net",
            client = %self.client,
            broker = %address,
            attempts = outage.attempts,
            unreachable_ms = (now() - outage.since).as_millis() as u64,
            "the broker can be reached again"
        );
        Some(outage.attempts)
    }

    /// Watches for connections that end.
    pub(crate) fn ends(&self) -> watch::Receiver<u64> {
        self.ends.subscribe()
    }

    /// Notes that a connection has ended.
    pub(crate) fn ended(&self) {
        self.ends.send_modify(|ends| *ends += 1);
    }

    fn changed(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_change_is_news() {
        let reachability = Reachability::new("c#1".into());
        let (first, second): (Arc<str>, Arc<str>) = ("a:9092".into(), "b:9092".into());
        assert_eq!(reachability.reached(&first), None);
        for _ in 0..2 {
            assert!(reachability.failed(&first, &ConnectCause::Refused));
            assert!(!reachability.failed(&first, &ConnectCause::ClosedAtOnce));
            assert!(!reachability.failed(&first, &ConnectCause::Refused));
            assert!(reachability.failed(&second, &ConnectCause::Refused));
            assert_eq!(reachability.reached(&first), Some(3));
            assert_eq!(reachability.reached(&second), Some(1));
        }
    }

    #[test]
    fn addresses_that_brokers_invent_do_not_fill_the_memory() {
        let reachability = Reachability::new("c#1".into());
        for port in 0..3 * MOST_ADDRESSES {
            let address: Arc<str> = format!("invented:{port}").into();
            reachability.failed(&address, &ConnectCause::Refused);
        }
        assert!(reachability.outages.lock().len() <= MOST_ADDRESSES);
    }
}
