//! Whether a request about a group has come to the right place.

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
