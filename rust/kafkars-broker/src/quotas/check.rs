//! The checks of quotas, as Kafka's controller makes them.

use std::net::IpAddr;

use kafkars_protocol::ErrorCode;

use super::connections::CONNECTION_RATE;
use super::{Entity, EntityPart, MAX_ENTITIES, Quotas};
use crate::refusal::{RefusedRequest, refuse_with};

/// The most that a number of bytes may differ from a whole one.
const WHOLE: f64 = 1e-6;

pub(crate) fn check_entity(entity: &Entity, quotas: &Quotas) -> Result<(), RefusedRequest> {
    let no_ip = entity.ip == EntityPart::Absent;
    let no_client = entity.user == EntityPart::Absent && entity.client_id == EntityPart::Absent;
    if no_ip && no_client {
        return Err(RefusedRequest::invalid("Invalid empty client quota entity"));
    }
    if !no_ip && !no_client {
        let reason =
            "Invalid quota entity combination: an IP cannot be combined with a user or a client id";
        return Err(RefusedRequest::invalid(reason));
    }
    if let EntityPart::Named(ip) = &entity.ip
        && ip.parse::<IpAddr>().is_err()
    {
        let reason = format!("{ip} is not a valid IP or resolvable host.");
        return Err(RefusedRequest::invalid(reason));
    }
    if quotas.count_with(entity) > MAX_ENTITIES {
        let reason = format!("{MAX_ENTITIES} entities have quotas, which is the limit.");
        return refuse_with(ErrorCode::PolicyViolation, reason);
    }
    Ok(())
}

/// Checks a limit of a quota; no value takes the quota back.
pub(crate) fn check_limit(
    entity: &Entity,
    key: &str,
    value: Option<f64>,
) -> Result<(), RefusedRequest> {
    let of_ip = entity.ip != EntityPart::Absent;
    let whole = match key {
        "producer_byte_rate" | "consumer_byte_rate" if !of_ip => true,
        "request_percentage" | "controller_mutation_rate" if !of_ip => false,
        CONNECTION_RATE if of_ip => true,
        _ => {
            return Err(RefusedRequest::invalid(format!(
                "Invalid configuration key {key}"
            )));
        }
    };
    let Some(value) = value else {
        return Ok(());
    };
    if value.is_nan() || value <= 0.0 {
        return Err(RefusedRequest::invalid(format!(
            "Quota {key} must be greater than 0"
        )));
    }
    if whole && (value - value.round()).abs() > WHOLE {
        return Err(RefusedRequest::invalid(format!(
            "{key} cannot be a fractional value."
        )));
    }
    Ok(())
}
