//! DeleteAcls, versions 1 to 3.
//!
//! Kept: there is no access control, and the answer is that of a Kafka without an authorizer: SECURITY_DISABLED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::delete_acls::{
    DeleteAclsFilterResult, DeleteAclsRequest, DeleteAclsResponse,
};

use super::api_30_create_acls::NO_AUTHORIZER;
use super::{Answer, Peer, Serve};

impl Serve for DeleteAclsRequest {
    fn serve(self, _peer: &Peer, _version: i16) -> Answer<DeleteAclsResponse> {
        Answer::Now(respond(&self, ErrorCode::SecurityDisabled, NO_AUTHORIZER))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DeleteAclsResponse {
        respond(self, code, code.description())
    }
}

fn respond(request: &DeleteAclsRequest, code: ErrorCode, reason: &str) -> DeleteAclsResponse {
    let result = DeleteAclsFilterResult {
        error_code: code.code(),
        error_message: Some(reason.to_owned()),
        matching_acls: Vec::new(),
    };
    DeleteAclsResponse {
        throttle_time_ms: 0,
        filter_results: vec![result; request.filters.len()],
    }
}
