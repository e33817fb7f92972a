//! CreateAcls, versions 1 to 3.
//!
//! Kept: there is no access control, and the answer is that of a Kafka without an authorizer: SECURITY_DISABLED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_acls::{
    AclCreationResult, CreateAclsRequest, CreateAclsResponse,
};

use super::{Answer, Peer, Serve};

/// What Kafka's controller says of it.
pub(super) const NO_AUTHORIZER: &str = "No Authorizer is configured.";

impl Serve for CreateAclsRequest {
    fn serve(self, _peer: &Peer, _version: i16) -> Answer<CreateAclsResponse> {
        Answer::Now(respond(&self, ErrorCode::SecurityDisabled, NO_AUTHORIZER))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> CreateAclsResponse {
        respond(self, code, code.description())
    }
}

fn respond(request: &CreateAclsRequest, code: ErrorCode, reason: &str) -> CreateAclsResponse {
    let result = AclCreationResult {
        error_code: code.code(),
        error_message: Some(reason.to_owned()),
    };
    CreateAclsResponse {
        throttle_time_ms: 0,
        results: vec![result; request.creations.len()],
    }
}
