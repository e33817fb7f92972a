//! DeleteGroups, versions 0 to 2.
//!
//! Kept: groups without members go, with what they have committed.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::delete_groups::{
    DeletableGroupResult, DeleteGroupsRequest, DeleteGroupsResponse,
};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::code_of;

impl Serve for DeleteGroupsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DeleteGroupsResponse> {
        let now = peer.cluster.clock.now();
        Handled::Now(respond(&self, |group| {
            coordination::check_group(peer, group)?;
            let mut state = peer.cluster.state();
            state.groups.delete(group, now)?;
            state.shares.forget_group(group);
            Ok(())
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DeleteGroupsResponse {
        respond(self, |_| Err(code))
    }
}

fn respond(
    request: &DeleteGroupsRequest,
    delete: impl Fn(&str) -> Result<(), ErrorCode>,
) -> DeleteGroupsResponse {
    let result = |group: &String| DeletableGroupResult {
        group_id: group.clone(),
        error_code: code_of(&delete(group)),
    };
    DeleteGroupsResponse {
        throttle_time_ms: 0,
        results: request.groups_names.iter().map(result).collect(),
    }
}
