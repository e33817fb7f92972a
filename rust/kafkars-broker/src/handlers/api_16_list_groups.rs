//! ListGroups, versions 0 to 5.
//!
//! Kept: filters by state (version 4, KIP-518) and by type (5, KIP-848), whatever their case. A node lists what it
//! coordinates.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_groups::{ListGroupsRequest, ListGroupsResponse};

use super::{Handled, Peer, Serve};
use crate::nodes::CoordinatorType;

impl Serve for ListGroupsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<ListGroupsResponse> {
        let cluster = &peer.cluster;
        let mut groups = cluster.state().groups.list(cluster.clock.now());
        groups.retain(|group| {
            cluster.coordinates(peer.node, CoordinatorType::Group, &group.group_id)
                && passes(&self.states_filter, &group.group_state)
                && passes(&self.types_filter, &group.group_type)
        });
        Handled::Now(ListGroupsResponse {
            groups,
            ..ListGroupsResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ListGroupsResponse {
        ListGroupsResponse {
            error_code: code.code(),
            ..ListGroupsResponse::default()
        }
    }
}

/// A filter without entries lets everything pass.
fn passes(filter: &[String], value: &str) -> bool {
    filter.is_empty()
        || filter
            .iter()
            .any(|wanted| wanted.trim().eq_ignore_ascii_case(value))
}
