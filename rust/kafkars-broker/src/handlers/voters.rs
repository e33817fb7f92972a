//! Requests to change the voters of the quorum are refused.

use kafkars_protocol::{ErrorCode, Uuid};

use super::Peer;
use crate::refusal::RefusedRequest;

pub(super) fn refusal(
    peer: &Peer,
    change: &str,
    cluster_id: Option<&str>,
    directory: Uuid,
) -> RefusedRequest {
    if cluster_id.is_some_and(|id| id != peer.cluster.id) {
        return ErrorCode::InconsistentClusterId.into();
    }
    if directory.is_zero() {
        let reason = format!("{change} voter request didn't include a valid voter");
        return RefusedRequest::invalid(reason);
    }
    let reason = "The voters of the quorum are fixed: the feature kraft.version is at level 0.";
    RefusedRequest::new(ErrorCode::UnsupportedVersion, reason)
}
