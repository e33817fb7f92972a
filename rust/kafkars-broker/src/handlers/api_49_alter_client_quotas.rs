//! AlterClientQuotas, versions 0 and 1 (KIP-546).
//!
//! Kept: quotas of users, client ids, both and addresses, with Kafka's checks; dry runs.
//!
//! Skipped: addresses must be written in numbers.

use std::collections::HashSet;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_client_quotas::{
    AlterClientQuotasRequest, AlterClientQuotasResponse, EntityData, EntryData, ResponseEntryData,
};

use super::repeated::times;
use super::{Handled, Peer, Serve};
use crate::quotas::check::{check_entity, check_limit};
use crate::quotas::{Entity, EntityPart, Quotas};
use crate::refusal::{RefusedRequest, told};

impl Serve for AlterClientQuotasRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AlterClientQuotasResponse> {
        let quotas = &peer.cluster.quotas;
        Handled::Now(respond(&self, |entry, times| {
            if times > 1 || has_repeated_keys(entry) {
                let reason = "The entity, or a quota of it, is named twice.";
                return Err(RefusedRequest::invalid(reason));
            }
            alter(quotas, entry, self.validate_only)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> AlterClientQuotasResponse {
        respond(self, |_, _| Err(code.into()))
    }
}

/// Gives each entity one answer; `each` is told how often it is named.
fn respond(
    request: &AlterClientQuotasRequest,
    mut each: impl FnMut(&EntryData, usize) -> Result<(), RefusedRequest>,
) -> AlterClientQuotasResponse {
    let mut times = times(request.entries.iter().map(key));
    let mut entries: Vec<ResponseEntryData> = Vec::with_capacity(times.len());
    for entry in &request.entries {
        let Some(times) = times.remove(&key(entry)) else {
            continue;
        };
        let (error_code, error_message) = told(each(entry, times));
        entries.push(ResponseEntryData {
            error_code,
            error_message,
            entity: entry.entity.clone(),
        });
    }
    AlterClientQuotasResponse {
        throttle_time_ms: 0,
        entries,
    }
}

fn key(entry: &EntryData) -> Vec<(&str, Option<&str>)> {
    let parts = entry.entity.iter();
    parts
        .map(|part| (part.entity_type.as_str(), part.entity_name.as_deref()))
        .collect()
}

fn has_repeated_keys(entry: &EntryData) -> bool {
    let keys: HashSet<&str> = entry.ops.iter().map(|op| op.key.as_str()).collect();
    keys.len() < entry.ops.len()
}

fn alter(quotas: &Quotas, entry: &EntryData, validate_only: bool) -> Result<(), RefusedRequest> {
    let entity = entity(&entry.entity)?;
    check_entity(&entity, quotas)?;
    for op in &entry.ops {
        check_limit(&entity, &op.key, (!op.remove).then_some(op.value))?;
    }
    if !validate_only {
        for op in &entry.ops {
            quotas.set(&entity, &op.key, (!op.remove).then_some(op.value));
        }
    }
    Ok(())
}

fn entity(parts: &[EntityData]) -> Result<Entity, RefusedRequest> {
    let mut entity = Entity::default();
    for EntityData {
        entity_type: kind,
        entity_name: name,
    } in parts
    {
        let part = entity.part_mut(kind).ok_or_else(|| {
            RefusedRequest::invalid(format!("Unhandled client quota entity type: {kind}"))
        })?;
        if name.as_ref().is_some_and(String::is_empty) {
            return Err(RefusedRequest::invalid(format!(
                "Empty {kind} not supported"
            )));
        }
        *part = EntityPart::from_wire(name.as_deref());
    }
    Ok(entity)
}
