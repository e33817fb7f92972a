//! AlterClientQuotas, versions 0 and 1 (KIP-546).
//!
//! Kept: quotas of users, client ids, both and addresses, with Kafka's checks; dry runs.
//!
//! Skipped: quotas of addresses (`connection_creation_rate`) limit nothing, and addresses must be written in numbers.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_client_quotas::{
    AlterClientQuotasRequest, AlterClientQuotasResponse, EntityData, EntryData, OpData,
    ResponseEntryData,
};

use super::{Answer, Peer, Serve};
use crate::incoming::Refusal;
use crate::quotas::check::{check_entity, check_limit};
use crate::quotas::{Entity, Part, Quotas};

impl Serve for AlterClientQuotasRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Answer<AlterClientQuotasResponse> {
        let quotas = &peer.cluster.quotas;
        Answer::Now(respond(&self, |entry| {
            if is_repeated(&self, entry) {
                let reason = "The entity, or a quota of it, is named twice.";
                return Err(Refusal::new(ErrorCode::InvalidRequest, reason));
            }
            alter(quotas, entry, self.validate_only)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> AlterClientQuotasResponse {
        respond(self, |_| Err(code.into()))
    }
}

fn respond(
    request: &AlterClientQuotasRequest,
    mut each: impl FnMut(&EntryData) -> Result<(), Refusal>,
) -> AlterClientQuotasResponse {
    let mut entries: Vec<ResponseEntryData> = Vec::with_capacity(request.entries.len());
    for entry in &request.entries {
        // An entity that is named twice gets one answer.
        if entries.iter().any(|other| other.entity == entry.entity) {
            continue;
        }
        let refusal = each(entry).err();
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

fn is_repeated(request: &AlterClientQuotasRequest, entry: &EntryData) -> bool {
    let entries = request.entries.iter();
    let same = entries.filter(|other| other.entity == entry.entity).count();
    let twice =
        |(index, op): (usize, &OpData)| entry.ops[..index].iter().any(|other| other.key == op.key);
    same > 1 || entry.ops.iter().enumerate().any(twice)
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
