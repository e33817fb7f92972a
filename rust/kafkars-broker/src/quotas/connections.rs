//! Quotas of addresses: how many connections a second each may open (KIP-612).

use std::net::IpAddr;

use super::entity::{Entity, EntityPart};
use super::{MAX_MEASURED, QuotaValues, Quotas, milliseconds};

/// The key of this quota.
pub(crate) const CONNECTION_RATE: &str = "connection_creation_rate";
/// Longest that a connection which is one too many is held before it is closed: one window, as in Kafka.
const LONGEST_PAUSE_MS: i32 = 1000;

impl Quotas {
    /// Judges a connection that an address has opened: returns how long it is held before it is closed, in ms; 0 if it
    /// may stay.
    pub(crate) fn admit(&self, address: IpAddr, now: i64) -> i32 {
        if !self.are_set() {
            return 0;
        }
        let mut inner = self.inner.lock();
        let named = inner.entities.iter();
        let named = named.filter_map(|(entity, values)| match &entity.ip {
            EntityPart::Named(ip) if ip.parse() == Ok(address) => values.get(CONNECTION_RATE),
            _ => None,
        });
        let everybody = inner.entities.get(&Entity::of_address(EntityPart::Default));
        let default = everybody.and_then(|values: &QuotaValues| values.get(CONNECTION_RATE));
        let Some(limit) = named.chain(default).next().copied() else {
            return 0;
        };
        let rates = &mut inner.connections;
        if rates.len() >= MAX_MEASURED {
            rates.retain(|_, rate| rate.is_in_use(now));
        }
        if rates.len() >= MAX_MEASURED {
            rates.clear();
        }
        let rate = rates.entry(address).or_default();
        rate.record(1.0, now);
        let pause = milliseconds(rate.pause_ms(limit, now));
        if pause > 0 {
            // What is closed does not count.
            rate.record(-1.0, now);
        }
        pause.min(LONGEST_PAUSE_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_open_so_many_connections() {
        let address = |last| IpAddr::from([127, 0, 0, last]);
        let quotas = Quotas::default();
        assert_eq!(quotas.admit(address(1), 0), 0);
        quotas.set(
            &Entity::of_address(EntityPart::Default),
            CONNECTION_RATE,
            Some(1.0),
        );
        let named = EntityPart::Named("127.0.0.2".to_owned());
        quotas.set(&Entity::of_address(named), CONNECTION_RATE, Some(2.0));
        for last in [1, 2] {
            let admitted = (0..30).filter(|_| quotas.admit(address(last), 0) == 0);
            assert_eq!(admitted.count(), 10 * usize::from(last));
            // 11 where 10 are allowed: a tenth too many in 10 seconds.
            let pause = 1000 / i32::from(last);
            assert_eq!(quotas.admit(address(last), 0), pause);
        }
        assert_eq!(quotas.admit(address(3), 0), 0, "for each by itself");
        assert_eq!(quotas.admit(address(1), 12_000), 0);
    }
}
