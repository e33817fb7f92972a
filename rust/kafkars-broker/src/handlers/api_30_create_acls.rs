//! CreateAcls, versions 1 to 3.
//!
//! Kept: each rule is checked and added by itself. Without access control all are refused with SECURITY_DISABLED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_acls::{
    AclCreation, AclCreationResult, CreateAclsRequest, CreateAclsResponse,
};

use super::{Handled, Peer, Serve};
use crate::refusal::{RefusedRequest, told};
use crate::security::{Acl, AclOperation, PatternType, Permission, ResourceType};

/// The words of Kafka's controller without access control.
pub(super) const NO_AUTHORIZER: &str = "No Authorizer is configured.";

impl Serve for CreateAclsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<CreateAclsResponse> {
        let authorizer = peer.cluster.authorizer.as_ref();
        Handled::Now(respond(&self, |creation| {
            let disabled = || RefusedRequest::new(ErrorCode::SecurityDisabled, NO_AUTHORIZER);
            let authorizer = authorizer.ok_or_else(disabled)?;
            let rule = rule(creation).map_err(RefusedRequest::invalid)?;
            authorizer.add(rule).map_err(RefusedRequest::invalid)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> CreateAclsResponse {
        respond(self, |_| Err(code.into()))
    }
}

fn respond(
    request: &CreateAclsRequest,
    each: impl Fn(&AclCreation) -> Result<(), RefusedRequest>,
) -> CreateAclsResponse {
    let result = |creation: &AclCreation| {
        let (error_code, error_message) = told(each(creation));
        AclCreationResult {
            error_code,
            error_message,
        }
    };
    CreateAclsResponse {
        throttle_time_ms: 0,
        results: request.creations.iter().map(result).collect(),
    }
}

fn rule(creation: &AclCreation) -> Result<Acl, String> {
    let invalid = |what: &str, code: i8| format!("Invalid {what} {code}");
    let kind = ResourceType::from_code(creation.resource_type);
    let pattern = PatternType::from_code(creation.resource_pattern_type);
    let operation = AclOperation::from_code(creation.operation);
    let permission = Permission::from_code(creation.permission_type);
    let rule = Acl {
        resource_type: kind.ok_or_else(|| invalid("resourceType", creation.resource_type))?,
        resource_name: creation.resource_name.clone(),
        pattern_type: pattern
            .ok_or_else(|| invalid("patternType", creation.resource_pattern_type))?,
        principal: creation.principal.clone(),
        host: creation.host.clone(),
        operation: operation.ok_or_else(|| invalid("operation", creation.operation))?,
        permission: permission
            .ok_or_else(|| invalid("permissionType", creation.permission_type))?,
    };
    rule.check()?;
    Ok(rule)
}
