//! Answers to members that join or fetch their assignments in vain.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::join_group::JoinGroupResponse;
use kafkars_protocol::messages::sync_group::SyncGroupResponse;

/// The answer to `JoinGroup` that tells a member no generation.
pub(crate) fn refused_join(member_id: String, code: ErrorCode) -> JoinGroupResponse {
    JoinGroupResponse {
        error_code: code.code(),
        protocol_name: None,
        member_id,
        ..JoinGroupResponse::default()
    }
}

/// The answer to `SyncGroup` that gives a member no assignment.
pub(crate) fn refused_sync(code: ErrorCode) -> SyncGroupResponse {
    SyncGroupResponse {
        error_code: code.code(),
        ..SyncGroupResponse::default()
    }
}
