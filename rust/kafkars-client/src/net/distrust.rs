//! Handshakes that failed for good: what polls and calls report of them, and when the next login may be tried.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kafkars_core::error_kind::SecurityProblem;
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::error::ConnectCause;
use crate::{after, now};

/// The state by address, because the same broker is met first as a bootstrap address and then as a node.
#[derive(Debug, Default)]
pub(crate) struct Distrust {
    refusals: Mutex<HashMap<Arc<str>, RefusedHandshake>>,
    /// Changes whenever a refusal counts for calls that wait.
    told: watch::Sender<u64>,
    /// Connections closed during the TLS handshake.
    pub(crate) tls: HangUps,
    /// Connections closed on requests without a login.
    pub(crate) requests: HangUps,
    /// Connections closed during a login.
    pub(crate) logins: HangUps,
}

/// Counts connections that brokers close without an answer. One that does so twice in a row means a refusal, unless
/// this client has been answered before: then its brokers are only starting and stopping.
#[derive(Debug, Default)]
pub(crate) struct HangUps {
    counts: Mutex<HashMap<Arc<str>, u32>>,
    is_answered: AtomicBool,
}

impl HangUps {
    /// Notes that a broker closed a connection. Returns true if that means a refusal.
    pub(crate) fn is_telling(&self, address: &Arc<str>) -> bool {
        let mut counts = self.counts.lock();
        let count = counts.entry(Arc::clone(address)).or_default();
        *count = count.saturating_add(1);
        *count > 1 && !self.is_answered.load(Ordering::Relaxed)
    }

    /// Notes another failure in between, so that the next close is the first in a row again.
    pub(crate) fn interrupted(&self, address: &Arc<str>) {
        self.counts.lock().remove(address);
    }

    /// Notes that a broker answered.
    pub(crate) fn answered(&self) {
        if !self.is_answered.swap(true, Ordering::Relaxed) {
            self.counts.lock().clear();
        }
    }
}

/// The latest handshake with one broker, which failed in a way that time does not mend.
#[derive(Debug)]
pub(crate) struct RefusedHandshake {
    cause: ConnectCause,
    count: u32,
    began: Instant,
    /// True if it began after another one had failed.
    is_repeated: bool,
    at: Instant,
    /// When the last caller who wanted a connection met it.
    heard_at: Instant,
    /// Calls that began before this get it as their failure: when the handshake began, later the last time that a
    /// connection was wanted during the pause after it.
    told_at: Instant,
    not_before: Instant,
}

impl RefusedHandshake {
    /// The failure as reported to a call that began after it.
    fn retold(&self) -> ConnectCause {
        let now = now();
        ConnectCause::Earlier {
            cause: Box::new(self.cause.clone()),
            ago: now.saturating_duration_since(self.at),
            next_in: self.not_before.saturating_duration_since(now),
        }
    }

    /// True if it is not the first in a row.
    pub(crate) fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// True if there were no credentials to show, which no broker has refused.
    pub(crate) fn is_of_credentials(&self) -> bool {
        self.cause.security() == Some(SecurityProblem::Credentials)
    }
}

impl Distrust {
    /// Notes a handshake that `began` then and failed for good. `delay` is given how many there were in a row, and
    /// returns the pause before the next one.
    pub(super) fn refused(
        &self,
        address: &Arc<str>,
        cause: &ConnectCause,
        began: Instant,
        delay: impl Fn(u32) -> Duration,
    ) {
        let mut refusals = self.refusals.lock();
        let before = refusals.get(address);
        let count = before.map_or(0, |before| before.count).saturating_add(1);
        let now = now();
        let refusal = RefusedHandshake {
            cause: cause.clone(),
            count,
            began,
            is_repeated: before.is_some_and(|before| before.is_repeated || before.at <= began),
            at: now,
            heard_at: now,
            told_at: began,
            not_before: after(now, delay(count)),
        };
        refusals.insert(Arc::clone(address), refusal);
        drop(refusals);
        self.told.send_modify(|told| *told += 1);
    }

    /// Notes that a connection was wanted during the pause, and that its caller got the old refusal.
    pub(super) fn told_again(&self, address: &Arc<str>) {
        if let Some(refusal) = self.refusals.lock().get_mut(address) {
            refusal.told_at = now();
            refusal.heard_at = now();
        }
        self.told.send_modify(|told| *told += 1);
    }

    /// Watches for changes of what [`Distrust::since`] returns.
    pub(crate) fn changed(&self) -> watch::Receiver<u64> {
        self.told.subscribe()
    }

    /// The latest refusal that a call gets which began at `began`, of those that `counts` selects.
    pub(crate) fn since(
        &self,
        began: Instant,
        counts: impl Fn(&Arc<str>, &RefusedHandshake) -> bool,
    ) -> Option<(Arc<str>, ConnectCause)> {
        let refusals = self.refusals.lock();
        let counted = refusals
            .iter()
            .filter(|(address, refusal)| refusal.told_at >= began && counts(address, refusal));
        let (address, latest) = counted.max_by_key(|(_, refusal)| refusal.at)?;
        let cause = match latest.began < began {
            true => latest.retold(),
            false => latest.cause.clone(),
        };
        Some((Arc::clone(address), cause))
    }

    /// Notes a handshake that succeeded.
    pub(super) fn trusted(&self, address: &Arc<str>) {
        self.refusals.lock().remove(address);
    }

    /// The end of the pause in which no login is tried, and the failure of the last one.
    pub(super) fn pause(&self, address: &Arc<str>) -> Option<(Instant, ConnectCause)> {
        let refusals = self.refusals.lock();
        let refusal = refusals
            .get(address)
            .filter(|refusal| refusal.not_before > now())?;
        Some((refusal.not_before, refusal.retold()))
    }

    /// When the handshake that was refused last began.
    pub(crate) fn began(&self, address: &Arc<str>) -> Option<Instant> {
        let refusals = self.refusals.lock();
        refusals.get(address).map(|refusal| refusal.began)
    }

    /// True if no handshake has failed for good.
    pub(crate) fn is_empty(&self) -> bool {
        self.refusals.lock().is_empty()
    }

    /// The latest refusal of those that `counts` selects and that a caller has met within `fresh`: one that nobody
    /// meets again may be over.
    pub(crate) fn latest(
        &self,
        fresh: Duration,
        counts: impl Fn(&Arc<str>, &RefusedHandshake) -> bool,
    ) -> Option<(Arc<str>, ConnectCause)> {
        let (refusals, now) = (self.refusals.lock(), now());
        let counted = refusals.iter().filter(|(address, refusal)| {
            now.saturating_duration_since(refusal.heard_at) <= fresh && counts(address, refusal)
        });
        let latest = counted.max_by_key(|(_, refusal)| refusal.at)?;
        Some((Arc::clone(latest.0), latest.1.cause.clone()))
    }

    /// Drops the refusals of addresses that are no longer the cluster's.
    pub(crate) fn keep(&self, counts: impl Fn(&Arc<str>) -> bool) {
        self.refusals.lock().retain(|address, _| counts(address));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRESH: Duration = Duration::from_secs(60);

    #[test]
    fn pauses_grow_until_a_login_succeeds() {
        let distrust = Distrust::default();
        let (one, other): (Arc<str>, Arc<str>) = ("one:1".into(), "other:1".into());
        let delay = |count| Duration::from_secs(60) * count;
        for count in 1..4 {
            distrust.refused(&one, &ConnectCause::Refused, now(), delay);
            let (until, _) = distrust.pause(&one).expect("a pause");
            assert!(until > now() + delay(count) - Duration::from_secs(30));
        }
        assert_eq!(distrust.pause(&other), None);
        distrust.refused(&other, &ConnectCause::ClosedAtOnce, now(), delay);
        assert_eq!(
            distrust.latest(FRESH, |_, _| true),
            Some((Arc::clone(&other), ConnectCause::ClosedAtOnce))
        );
        distrust.trusted(&other);
        assert_eq!(
            distrust.latest(FRESH, |_, _| true),
            Some((Arc::clone(&one), ConnectCause::Refused))
        );
        distrust.trusted(&one);
        assert_eq!(distrust.latest(FRESH, |_, _| true), None);
        assert_eq!(distrust.pause(&one), None);
    }

    #[test]
    fn a_call_hears_of_handshakes_that_began_after_it() {
        let distrust = Distrust::default();
        let address: Arc<str> = "one:1".into();
        let delay = |_| Duration::from_secs(60);
        let (began, earlier) = (now(), now().checked_sub(Duration::from_millis(1)));
        let earlier = earlier.expect("the clock is past zero");
        let mut changed = distrust.changed();
        distrust.refused(&address, &ConnectCause::Refused, earlier, delay);
        assert!(changed.has_changed().expect("it is there"));
        changed.mark_unchanged();
        assert!(distrust.since(earlier, |_, _| true).is_some());
        assert!(distrust.since(earlier, |_, _| false).is_none());
        assert!(distrust.since(began, |_, _| true).is_none());
        // Nobody logs in during the pause, so the known refusal is reported again.
        distrust.told_again(&address);
        assert!(changed.has_changed().expect("it is there"));
        assert!(distrust.since(began, |_, _| true).is_some());
        assert_eq!(distrust.began(&address), Some(earlier));
        distrust.trusted(&address);
        assert!(distrust.since(earlier, |_, _| true).is_none());
    }

    #[test]
    fn a_refusal_lapses_that_nobody_meets_again() {
        let distrust = Distrust::default();
        let address: Arc<str> = "one:1".into();
        distrust.refused(&address, &ConnectCause::Refused, now(), |_| FRESH);
        assert!(distrust.latest(FRESH, |_, _| true).is_some());
        let told_at = now();
        while now() == told_at {}
        assert_eq!(distrust.latest(Duration::ZERO, |_, _| true), None);
        distrust.told_again(&address);
        assert!(distrust.latest(FRESH, |_, _| true).is_some());
    }

    #[test]
    fn handshakes_side_by_side_are_refused_once() {
        let distrust = Distrust::default();
        let address: Arc<str> = "one:1".into();
        let is_repeated = || distrust.latest(FRESH, |_, refusal| refusal.is_repeated());
        let began = now().checked_sub(Duration::from_millis(1));
        let began = began.expect("the clock is past zero");
        for _ in 0..2 {
            distrust.refused(&address, &ConnectCause::Refused, began, |_| FRESH);
        }
        assert_eq!(is_repeated(), None);
        distrust.refused(&address, &ConnectCause::Refused, now(), |_| FRESH);
        assert!(is_repeated().is_some());
        distrust.trusted(&address);
        distrust.refused(&address, &ConnectCause::Refused, now(), |_| FRESH);
        assert_eq!(is_repeated(), None);
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
        distrust.refused(&node, &ConnectCause::Refused, now(), delay);
        distrust.refused(&bootstrap, &ConnectCause::ClosedAtOnce, now(), delay);
        let is_node = |address: &Arc<str>, _: &RefusedHandshake| *address == node;
        assert_eq!(
            distrust.latest(FRESH, is_node),
            Some((Arc::clone(&node), ConnectCause::Refused))
        );
        distrust.keep(|address| *address == node);
        assert_eq!(distrust.pause(&bootstrap), None);
        assert!(distrust.pause(&node).is_some());
        distrust.trusted(&node);
        assert_eq!(distrust.latest(FRESH, |_, _| true), None);
    }
}
