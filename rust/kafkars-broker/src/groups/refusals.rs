//! Requests about a group or a member are refused, in Kafka's words.

use std::collections::HashMap;

use kafkars_protocol::ErrorCode;

use crate::refusal::RefusedRequest;

pub(super) fn not_a_share_group(id: &str) -> RefusedRequest {
    let message = format!("Group {id} is not a share group.");
    RefusedRequest::new(ErrorCode::GroupIdNotFound, message)
}

pub(super) fn not_found(id: &str) -> RefusedRequest {
    let message = format!("Group {id} not found.");
    RefusedRequest::new(ErrorCode::GroupIdNotFound, message)
}

pub(super) fn not_a_consumer_group(id: &str) -> RefusedRequest {
    let message = format!("Group {id} is not a consumer group.");
    RefusedRequest::new(ErrorCode::GroupIdNotFound, message)
}

pub(super) fn unknown_member(member: &str, group: &str) -> RefusedRequest {
    let message = format!("Member {member} is not a member of group {group}.");
    RefusedRequest::new(ErrorCode::UnknownMemberId, message)
}

/// A group of this kind has all the members that it may have.
pub(super) fn full(kind: &str, max_size: usize) -> RefusedRequest {
    let message =
        format!("The {kind} group has reached its maximum capacity of {max_size} members.");
    RefusedRequest::new(ErrorCode::GroupMaxSizeReached, message)
}

/// A member says that it is in another epoch than the coordinator knows: a `greater` or a `smaller` one.
pub(super) fn fenced_epoch(
    kind: &str,
    relation: &str,
    received: i32,
    known: i32,
) -> RefusedRequest {
    let message = format!(
        "The {kind} group member has a {relation} member epoch ({received}) than the one known by the group coordinator \
         ({known}). The member must abandon all its partitions and rejoin."
    );
    RefusedRequest::new(ErrorCode::FencedMemberEpoch, message)
}

/// Checks that a static member, if it is one, has the member id that goes with its name (KIP-345).
pub(super) fn check_instance(
    members: &HashMap<String, String>,
    instance: Option<&str>,
    member: &str,
) -> Result<(), ErrorCode> {
    match instance.map(|instance| members.get(instance)) {
        Some(None) => Err(ErrorCode::UnknownMemberId),
        Some(Some(current)) if current != member => Err(ErrorCode::FencedInstanceId),
        _ => Ok(()),
    }
}
