//! AlterClientQuotas, versions 0 and 1 (KIP-546).
//!
//! Kept: quotas of users, client ids, both and addresses, with Kafka's checks; dry runs.
//!
//! Skipped: addresses must be written in numbers.

use std::collections::{HashMap, HashSet};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_client_quotas::{
    AlterClientQuotasRequest, AlterClientQuotasResponse, EntityData, EntryData, ResponseEntryData,
};

use super::{Handled, Peer, Serve};
use crate::quotas::check::{check_entity, check_limit};
use crate::quotas::{Entity, Part, Quotas};
use crate::refusal::Refusal;

impl Serve for AlterClientQuotasRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AlterClientQuotasResponse> {
        let quotas = &peer.cluster.quotas;
        Handled::Now(respond(&self, |entry, times| {
            if times > 1 || has_repeated_keys(entry) {
                let reason = "The entity, or a quota of it, is named twice.";
                return Err(Refusal::new(ErrorCode::InvalidRequest, reason));
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
    mut each: impl FnMut(&EntryData, usize) -> Result<(), Refusal>,
) -> AlterClientQuotasResponse {
    let mut times: HashMap<Vec<(&str, Option<&str>)>, usize> = HashMap::new();
    for entry in &request.entries {
        *times.entry(key(entry)).or_default() += 1;
    }
    let mut entries: Vec<ResponseEntryData> = Vec::with_capacity(times.len());
    for entry in &request.entries {
        let Some(times) = times.remove(&key(entry)) else {
            continue;
        };
        let refusal = each(entry, times).err();
        entries.push(ResponseEntryData {
            error_code: refusal.as_ref().map_or(0, |refusal| refusal.code.code()),
            error_message: refusal.map(Refusal::into_message),
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

fn alter(quotas: &Quotas, entry: &EntryData, validate_only: bool) -> Result<(), Refusal> {
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

fn entity(parts: &[EntityData]) -> Result<Entity, Refusal> {
    let mut entity = Entity::default();
    for EntityData {
        entity_type: kind,
        entity_name: name,
    } in parts
    {
        let invalid = |reason: String| Refusal::new(ErrorCode::InvalidRequest, reason);
        let part = entity
            .part_mut(kind)
            .ok_or_else(|| invalid(format!("Unhandled client quota entity type: {kind}")))?;
        if name.as_ref().is_some_and(String::is_empty) {
            return Err(invalid(format!("Empty {kind} not supported")));
        }
        *part = Part::from_wire(name.as_deref());
    }
    Ok(entity)
}
