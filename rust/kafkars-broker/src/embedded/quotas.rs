//! Quotas of clients and addresses, set from outside.

use std::net::IpAddr;

use super::EmbeddedBroker;
use crate::error::EmbeddedBrokerError;
use crate::quotas::connections::CONNECTION_RATE;
use crate::quotas::{Entity, EntityPart, check};

impl EmbeddedBroker {
    /// Sets a quota of clients, or with no value takes it back: `producer_byte_rate`, `consumer_byte_rate`,
    /// `request_percentage` or `controller_mutation_rate` of a client id, or of every client without one of its own.
    ///
    /// # Errors
    /// When there is no such quota, the value makes no sense, or the broker is stopped.
    pub fn set_quota(
        &self,
        client_id: Option<&str>,
        key: &str,
        value: Option<f64>,
    ) -> Result<(), EmbeddedBrokerError> {
        let entity = Entity::new(EntityPart::Absent, EntityPart::from_wire(client_id));
        self.set_quota_of(&entity, key, value)
    }

    /// Sets how many connections a second an address may open, or with no value takes that back; no address means each
    /// that has no quota of its own. One that is too many is held for up to a second and closed.
    ///
    /// # Errors
    /// When the value makes no sense, or the broker is stopped.
    pub fn set_connection_rate(
        &self,
        address: Option<IpAddr>,
        value: Option<f64>,
    ) -> Result<(), EmbeddedBrokerError> {
        let address = address.map(|address| address.to_string());
        let entity = Entity::of_address(EntityPart::from_wire(address.as_deref()));
        self.set_quota_of(&entity, CONNECTION_RATE, value)
    }

    fn set_quota_of(
        &self,
        entity: &Entity,
        key: &str,
        value: Option<f64>,
    ) -> Result<(), EmbeddedBrokerError> {
        let cluster = self.running()?;
        let quotas = &cluster.quotas;
        let checked = check::check_entity(entity, quotas)
            .and_then(|()| check::check_limit(entity, key, value));
        checked.map_err(|refusal| EmbeddedBrokerError::InvalidSetting {
            setting: "quota",
            reason: refusal.into_message(),
        })?;
        quotas.set(entity, key, value);
        cluster.state().unsaved = true;
        Ok(())
    }
}
