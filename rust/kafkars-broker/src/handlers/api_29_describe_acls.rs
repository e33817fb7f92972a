//! DescribeAcls, versions 1 to 3.
//!
//! Kept: the rules that a filter takes, by resource. Without access control the answer is SECURITY_DISABLED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_acls::{
    AclDescription, DescribeAclsRequest, DescribeAclsResource, DescribeAclsResponse,
};

use super::{Handled, Peer, Serve};
use crate::security::Acl;
use crate::security::acl::{AclFilter, RawFilter};

impl Serve for DescribeAclsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DescribeAclsResponse> {
        let Some(authorizer) = &peer.cluster.authorizer else {
            return Handled::Now(DescribeAclsResponse {
                error_message: Some("No Authorizer is configured on the broker".to_owned()),
                ..self.refuse(peer, version, ErrorCode::SecurityDisabled)
            });
        };
        let filter = AclFilter::read(RawFilter {
            resource_type: self.resource_type_filter,
            resource_name: self.resource_name_filter.clone(),
            pattern_type: self.pattern_type_filter,
            principal: self.principal_filter.clone(),
            host: self.host_filter.clone(),
            operation: self.operation,
            permission: self.permission_type,
        });
        Handled::Now(match filter {
            Ok(filter) => DescribeAclsResponse {
                resources: by_resource(authorizer.find(&filter)),
                ..DescribeAclsResponse::default()
            },
            Err(reason) => DescribeAclsResponse {
                error_message: Some(reason),
                ..self.refuse(peer, version, ErrorCode::InvalidRequest)
            },
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

/// Puts rules of one resource together; they come in order of their resources.
fn by_resource(rules: Vec<Acl>) -> Vec<DescribeAclsResource> {
    let mut resources: Vec<DescribeAclsResource> = Vec::new();
    for rule in rules {
        let (kind, pattern) = (rule.resource_type.code(), rule.pattern_type.code());
        let description = AclDescription {
            principal: rule.principal,
            host: rule.host,
            operation: rule.operation.code(),
            permission_type: rule.permission.code(),
        };
        match resources.last_mut() {
            Some(last)
                if last.resource_name == rule.resource_name
                    && (last.resource_type, last.pattern_type) == (kind, pattern) =>
            {
                last.acls.push(description);
            }
            _ => resources.push(DescribeAclsResource {
                resource_type: kind,
                resource_name: rule.resource_name,
                pattern_type: pattern,
                acls: vec![description],
            }),
        }
    }
    resources
}
