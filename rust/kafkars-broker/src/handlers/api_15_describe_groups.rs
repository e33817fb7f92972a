//! DescribeGroups, versions 0 to 6.
//!
//! Kept: classic groups; a group that is not there, or of another kind, is "Dead", and since version 6 an error
//! besides.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_groups::{
    DescribeGroupsRequest, DescribeGroupsResponse, DescribedGroup,
};

use super::{Handled, Peer, Serve, coordination, operations};

/// First version with the error GROUP_ID_NOT_FOUND (KIP-1043).
const NOT_FOUND_SINCE: i16 = 6;

impl Serve for DescribeGroupsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DescribeGroupsResponse> {
        let now = peer.cluster.clock.now();
        let group = |id: &String| {
            if let Err(code) = coordination::check_group(peer, id) {
                return failure(id, code, None);
            }
            let mut state = peer.cluster.state();
            let described = state.groups.describe_classic(id, now);
            let mut group = described.unwrap_or_else(|| dead(id, version, state.groups.exists(id)));
            if self.include_authorized_operations && group.error_code == 0 {
                group.authorized_operations = operations::ON_GROUP;
            }
            group
        };
        Handled::Now(DescribeGroupsResponse {
            throttle_time_ms: 0,
            groups: self.groups.iter().map(group).collect(),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeGroupsResponse {
        let groups = self.groups.iter();
        DescribeGroupsResponse {
            throttle_time_ms: 0,
            groups: groups.map(|id| failure(id, code, None)).collect(),
        }
    }
}

fn dead(id: &str, version: i16, exists: bool) -> DescribedGroup {
    let dead = DescribedGroup {
        group_id: id.to_owned(),
        group_state: "Dead".to_owned(),
        ..DescribedGroup::default()
    };
    if version < NOT_FOUND_SINCE {
        return dead;
    }
    DescribedGroup {
        error_code: ErrorCode::GroupIdNotFound.code(),
        error_message: Some(if exists {
            format!("Group {id} is not a classic group.")
        } else {
            format!("Group {id} not found.")
        }),
        ..dead
    }
}

fn failure(id: &str, code: ErrorCode, error_message: Option<String>) -> DescribedGroup {
    DescribedGroup {
        group_id: id.to_owned(),
        error_code: code.code(),
        error_message,
        ..DescribedGroup::default()
    }
}
