//! DeleteAcls, versions 1 to 3.
//!
//! Kept: each filter takes its rules away and tells which they were. Without access control all are refused with
//! SECURITY_DISABLED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::delete_acls::{
    DeleteAclsFilter, DeleteAclsFilterResult, DeleteAclsMatchingAcl, DeleteAclsRequest,
    DeleteAclsResponse,
};

use super::api_30_create_acls::NO_AUTHORIZER;
use super::{Handled, Peer, Serve};
use crate::refusal::RefusedRequest;
use crate::security::Acl;
use crate::security::acl::{AclFilter, RawFilter};

impl Serve for DeleteAclsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DeleteAclsResponse> {
        let authorizer = peer.cluster.authorizer.as_ref();
        Handled::Now(respond(&self, |filter| {
            let disabled = || RefusedRequest::new(ErrorCode::SecurityDisabled, NO_AUTHORIZER);
            let authorizer = authorizer.ok_or_else(disabled)?;
            let filter = AclFilter::read(RawFilter {
                resource_type: filter.resource_type_filter,
                resource_name: filter.resource_name_filter.clone(),
                pattern_type: filter.pattern_type_filter,
                principal: filter.principal_filter.clone(),
                host: filter.host_filter.clone(),
                operation: filter.operation,
                permission: filter.permission_type,
            });
            Ok(authorizer.remove(&filter.map_err(RefusedRequest::invalid)?))
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DeleteAclsResponse {
        respond(self, |_| Err(code.into()))
    }
}

fn respond(
    request: &DeleteAclsRequest,
    each: impl Fn(&DeleteAclsFilter) -> Result<Vec<Acl>, RefusedRequest>,
) -> DeleteAclsResponse {
    let result = |filter: &DeleteAclsFilter| match each(filter) {
        Ok(removed) => DeleteAclsFilterResult {
            matching_acls: removed.into_iter().map(matching).collect(),
            ..DeleteAclsFilterResult::default()
        },
        Err(refusal) => DeleteAclsFilterResult {
            error_code: refusal.code.code(),
            error_message: Some(refusal.into_message()),
            matching_acls: Vec::new(),
        },
    };
    DeleteAclsResponse {
        throttle_time_ms: 0,
        filter_results: request.filters.iter().map(result).collect(),
    }
}

fn matching(rule: Acl) -> DeleteAclsMatchingAcl {
    DeleteAclsMatchingAcl {
        resource_type: rule.resource_type.code(),
        resource_name: rule.resource_name,
        pattern_type: rule.pattern_type.code(),
        principal: rule.principal,
        host: rule.host,
        operation: rule.operation.code(),
        permission_type: rule.permission.code(),
        ..DeleteAclsMatchingAcl::default()
    }
}
