//! Which quotas make sense, as Kafka's controller sees it.

use std::net::IpAddr;

use kafkars_protocol::ErrorCode;

use super::connections::CONNECTION_RATE;
use super::{Entity, MAX_ENTITIES, Part, Quotas};
use crate::refusal::Refusal;

/// How far a number of bytes may be from a whole one.
const WHOLE: f64 = 1e-6;

pub(crate) fn check_entity(entity: &Entity, quotas: &Quotas) -> Result<(), Refusal> {
    let no_ip = entity.ip == Part::Absent;
    let no_client = entity.user == Part::Absent && entity.client_id == Part::Absent;
    if no_ip && no_client {
        return Err(invalid("Invalid empty client quota entity"));
    }
    if !no_ip && !no_client {
        let reason =
            "Invalid quota entity combination: an IP cannot be combined with a user or a client id";
        return Err(invalid(reason));
    }
    if let Part::Named(ip) = &entity.ip
        && ip.parse::<IpAddr>().is_err()
    {
        let reason = format!("{ip} is not a valid IP or resolvable host.");
        return Err(invalid(reason));
    }
    if quotas.count_with(entity) > MAX_ENTITIES {
        let reason = format!("{MAX_ENTITIES} entities have quotas, which is the limit.");
        return Err(Refusal::new(ErrorCode::PolicyViolation, reason));
    }
    Ok(())
}

/// No value takes a quota back.
pub(crate) fn check_limit(entity: &Entity, key: &str, value: Option<f64>) -> Result<(), Refusal> {
    let of_ip = entity.ip != Part::Absent;
    let whole = match key {
        "producer_byte_rate" | "consumer_byte_rate" if !of_ip => true,
        "request_percentage" | "controller_mutation_rate" if !of_ip => false,
        CONNECTION_RATE if of_ip => true,
        _ => return Err(invalid(format!("Invalid configuration key {key}"))),
    };
    let Some(value) = value else {
        return Ok(());
    };
    if value.is_nan() || value <= 0.0 {
        return Err(invalid(format!("Quota {key} must be greater than 0")));
    }
    if whole && (value - value.round()).abs() > WHOLE {
        return Err(invalid(format!("{key} cannot be a fractional value.")));
    }
    Ok(())
}

fn invalid(reason: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::InvalidRequest, reason)
}
