//! DescribeClientQuotas, versions 0 and 1 (KIP-546).
//!
//! Kept: filters by name, by default and by presence, strict or not.

use std::collections::BTreeSet;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_client_quotas::{
    ComponentData, DescribeClientQuotasRequest, DescribeClientQuotasResponse, EntityData,
    EntryData, ValueData,
};

use super::{Handled, Peer, Serve};
use crate::quotas::{Entity, EntityPart, QuotaValues};
use crate::refusal::{RefusedRequest, refuse_with};

impl Serve for DescribeClientQuotasRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DescribeClientQuotasResponse> {
        if let Err(refusal) = check(&self.components) {
            return Handled::Now(failure(refusal));
        }
        let entities = peer.cluster.quotas.entities();
        let fits = |entity: &Entity| {
            let all = self
                .components
                .iter()
                .all(|component| fits(entity, component));
            all && (!self.strict || entity.parts().count() == self.components.len())
        };
        let entries = entities
            .into_iter()
            .filter(|(entity, _)| fits(entity))
            .map(entry);
        Handled::Now(DescribeClientQuotasResponse {
            error_message: Some(String::new()),
            entries: Some(entries.collect()),
            ..DescribeClientQuotasResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeClientQuotasResponse {
        failure(code.into())
    }
}

fn check(components: &[ComponentData]) -> Result<(), RefusedRequest> {
    let invalid = |reason: String| Err(RefusedRequest::invalid(reason));
    let mut kinds = BTreeSet::new();
    for component in components {
        let kind = component.entity_type.as_str();
        if kind.is_empty() {
            return invalid("Invalid empty entity type.".to_owned());
        }
        if !kinds.insert(kind) {
            let reason = format!("Entity type {kind} cannot appear more than once in the filter.");
            return invalid(reason);
        }
        if !matches!(kind, "user" | "client-id" | "ip") {
            let reason = format!("Unsupported entity type {kind}");
            return refuse_with(ErrorCode::UnsupportedVersion, reason);
        }
        let also = "but also specified a match string.";
        match (component.match_type, &component.r#match) {
            (0, Some(_)) | (1 | 2, None) => {}
            (0, None) => {
                let reason = "Request specified MATCH_TYPE_EXACT, but set match string to null.";
                return invalid(reason.to_owned());
            }
            (1, Some(_)) => {
                return invalid(format!("Request specified MATCH_TYPE_DEFAULT, {also}"));
            }
            (2, Some(_)) => {
                return invalid(format!("Request specified MATCH_TYPE_SPECIFIED, {also}"));
            }
            (other, _) => return invalid(format!("Unknown match type {other}")),
        }
    }
    if kinds.contains("ip") && kinds.len() > 1 {
        let reason = "Invalid entity filter component combination. IP filter component should not be used with user or \
                      clientId filter component.";
        return invalid(reason.to_owned());
    }
    Ok(())
}

fn fits(entity: &Entity, component: &ComponentData) -> bool {
    let mut parts = entity.parts();
    let found = parts.find(|(kind, _)| *kind == component.entity_type);
    found.is_some_and(|(_, part)| match component.match_type {
        0 => part.to_wire() == component.r#match,
        1 => *part == EntityPart::Default,
        _ => true,
    })
}

fn entry((entity, values): (Entity, QuotaValues)) -> EntryData {
    let part = |(kind, part): (&str, &EntityPart)| EntityData {
        entity_type: kind.to_owned(),
        entity_name: part.to_wire(),
    };
    EntryData {
        entity: entity.parts().map(part).collect(),
        values: values
            .into_iter()
            .map(|(key, value)| ValueData { key, value })
            .collect(),
    }
}

fn failure(refusal: RefusedRequest) -> DescribeClientQuotasResponse {
    DescribeClientQuotasResponse {
        error_code: refusal.code.code(),
        error_message: Some(refusal.into_message()),
        entries: None,
        ..DescribeClientQuotasResponse::default()
    }
}
