//! Why the voters of the quorum do not change.

use kafkars_protocol::{ErrorCode, Uuid};

use super::Peer;
use crate::refusal::Refusal;

pub(super) fn refusal(
    peer: &Peer,
    change: &str,
    cluster_id: Option<&str>,
    directory: Uuid,
) -> Refusal {
    if cluster_id.is_some_and(|id| id != peer.cluster.id) {
        return ErrorCode::InconsistentClusterId.into();
    }
    if directory.is_zero() {
        let reason = format!("{change} voter request didn't include a valid voter");
        return Refusal::new(ErrorCode::InvalidRequest, reason);
    }
    let reason = "The voters of the quorum are fixed: the feature kraft.version is at level 0.";
    Refusal::new(ErrorCode::UnsupportedVersion, reason)
}
