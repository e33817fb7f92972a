//! Whether a request about a group or a transactional id has come to the right place.

use kafkars_protocol::ErrorCode;

use super::Peer;
use crate::nodes::CoordinatorKind;

/// Refuses a group without a name, and one that another node coordinates.
pub(super) fn check_group(peer: &Peer, group: &str) -> Result<(), ErrorCode> {
    if group.is_empty() {
        return Err(ErrorCode::InvalidGroupId);
    }
    if peer
        .cluster
        .coordinates(peer.node, CoordinatorKind::Group, group)
    {
        Ok(())
    } else {
        Err(ErrorCode::NotCoordinator)
    }
}

/// The same for a transactional id. That it must not be empty is judged later, with what goes before it.
pub(super) fn check_transactional_id(peer: &Peer, id: &str) -> Result<(), ErrorCode> {
    let kind = CoordinatorKind::Transaction;
    if id.is_empty() || peer.cluster.coordinates(peer.node, kind, id) {
        Ok(())
    } else {
        Err(ErrorCode::NotCoordinator)
    }
}
