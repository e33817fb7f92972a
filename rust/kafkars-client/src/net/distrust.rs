//! Brokers and this client that do not trust each other: what polls tell of it, and when the next login may be tried.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::ConnectCause;
use crate::{after, now};

/// By address, because the same broker is met first as a bootstrap address and then as a node.
#[derive(Debug, Default)]
pub(crate) struct Distrust {
    refusals: Mutex<HashMap<Arc<str>, Refusal>>,
    /// Of TLS that is begun.
    pub(crate) tls: HangUps,
    /// Of requests without a login.
    pub(crate) requests: HangUps,
    /// Of logins.
    pub(crate) logins: HangUps,
}

/// Brokers that hang up without a word. One that does so again says by it what it does not say, unless this client has
/// been answered before: then its brokers only come and go.
#[derive(Debug, Default)]
pub(crate) struct HangUps {
    counts: Mutex<HashMap<Arc<str>, u32>>,
    is_answered: AtomicBool,
}

impl HangUps {
    /// A broker hung up; whether that tells something.
    pub(crate) fn is_telling(&self, address: &Arc<str>) -> bool {
        let mut counts = self.counts.lock();
        let count = counts.entry(Arc::clone(address)).or_default();
        *count = count.saturating_add(1);
        *count > 1 && !self.is_answered.load(Ordering::Relaxed)
    }

    /// Something else came in between.
    pub(crate) fn interrupted(&self, address: &Arc<str>) {
        self.counts.lock().remove(address);
    }

    /// A broker answered.
    pub(crate) fn answered(&self) {
        if !self.is_answered.swap(true, Ordering::Relaxed) {
            self.counts.lock().clear();
        }
    }
}

/// The latest handshake with one broker, where it failed in a way that time does not mend.
#[derive(Debug)]
struct Refusal {
    cause: ConnectCause,
    count: u32,
    at: Instant,
    not_before: Instant,
}

impl Distrust {
    /// A handshake failed for good. `delay` says how long to wait after so many in a row.
    pub(super) fn refused(
        &self,
        address: &Arc<str>,
        cause: &ConnectCause,
        delay: impl Fn(u32) -> Duration,
    ) {
        let mut refusals = self.refusals.lock();
        let before = refusals.get(address).map_or(0, |refusal| refusal.count);
        let count = before.saturating_add(1);
        let now = now();
        let refusal = Refusal {
            cause: cause.clone(),
            count,
            at: now,
            not_before: after(now, delay(count)),
        };
        refusals.insert(Arc::clone(address), refusal);
    }

    /// A handshake succeeded.
    pub(super) fn trusted(&self, address: &Arc<str>) {
        self.refusals.lock().remove(address);
    }

    /// Until when no login is tried, and what the last one met.
    pub(super) fn pause(&self, address: &Arc<str>) -> Option<(Instant, ConnectCause)> {
        let refusals = self.refusals.lock();
        let refusal = refusals
            .get(address)
            .filter(|refusal| refusal.not_before > now())?;
        Some((refusal.not_before, refusal.cause.clone()))
    }

    /// The latest refusal of the brokers that count.
    pub(crate) fn latest(
        &self,
        counts: impl Fn(&Arc<str>) -> bool,
    ) -> Option<(Arc<str>, ConnectCause)> {
        let refusals = self.refusals.lock();
        let counted = refusals.iter().filter(|(address, _)| counts(address));
        let latest = counted.max_by_key(|(_, refusal)| refusal.at)?;
        Some((Arc::clone(latest.0), latest.1.cause.clone()))
    }

    /// The cluster has other brokers now: what those before refused is over.
    pub(crate) fn keep(&self, counts: impl Fn(&Arc<str>) -> bool) {
        self.refusals.lock().retain(|address, _| counts(address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_until_a_login_succeeds() {
        let distrust = Distrust::default();
        let (one, other): (Arc<str>, Arc<str>) = ("one:1".into(), "other:1".into());
        let delay = |count| Duration::from_secs(60) * count;
        for count in 1..4 {
            distrust.refused(&one, &ConnectCause::Refused, delay);
            let (until, _) = distrust.pause(&one).expect("a pause");
            assert!(until > now() + delay(count) - Duration::from_secs(30));
        }
        assert_eq!(distrust.pause(&other), None);
        distrust.refused(&other, &ConnectCause::ClosedAtOnce, delay);
        assert_eq!(
            distrust.latest(|_| true),
            Some((Arc::clone(&other), ConnectCause::ClosedAtOnce))
        );
        distrust.trusted(&other);
        assert_eq!(
            distrust.latest(|_| true),
            Some((Arc::clone(&one), ConnectCause::Refused))
        );
        distrust.trusted(&one);
        assert_eq!(distrust.latest(|_| true), None);
        assert_eq!(distrust.pause(&one), None);
    }

    #[test]
    fn hanging_up_twice_in_a_row_tells_something() {
        let (one, other): (Arc<str>, Arc<str>) = ("one:1".into(), "other:1".into());
        let hang_ups = HangUps::default();
        assert!(!hang_ups.is_telling(&one));
        assert!(!hang_ups.is_telling(&other));
        assert!(hang_ups.is_telling(&one));
        hang_ups.interrupted(&one);
        assert!(!hang_ups.is_telling(&one));
        assert!(hang_ups.is_telling(&one));
        hang_ups.answered();
        assert!((0..5).all(|_| !hang_ups.is_telling(&one)));
    }

    #[test]
    fn only_brokers_of_the_cluster_count() {
        let distrust = Distrust::default();
        let (bootstrap, node): (Arc<str>, Arc<str>) = ("bootstrap:1".into(), "node:1".into());
        let delay = |_| Duration::from_secs(60);
        distrust.refused(&node, &ConnectCause::Refused, delay);
        distrust.refused(&bootstrap, &ConnectCause::ClosedAtOnce, delay);
        let is_node = |address: &Arc<str>| *address == node;
        assert_eq!(
            distrust.latest(is_node),
            Some((Arc::clone(&node), ConnectCause::Refused))
        );
        distrust.keep(is_node);
        assert_eq!(distrust.pause(&bootstrap), None);
        assert!(distrust.pause(&node).is_some());
        distrust.trusted(&node);
        assert_eq!(distrust.latest(|_| true), None);
    }
}
