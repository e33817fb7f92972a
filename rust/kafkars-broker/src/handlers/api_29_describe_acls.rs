//! DescribeAcls, versions 1 to 3.
//!
//! Kept: there is no access control, and the answer is that of a Kafka without an authorizer: SECURITY_DISABLED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_acls::{DescribeAclsRequest, DescribeAclsResponse};

use super::{Answer, Peer, Serve};

impl Serve for DescribeAclsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<DescribeAclsResponse> {
        Answer::Now(DescribeAclsResponse {
            error_message: Some("No Authorizer is configured on the broker".to_owned()),
            ..self.refuse(peer, version, ErrorCode::SecurityDisabled)
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeAclsResponse {
        DescribeAclsResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..DescribeAclsResponse::default()
        }
    }
}
