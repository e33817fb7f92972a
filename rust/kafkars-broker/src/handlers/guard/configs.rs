//! Settings: those of topics and groups are guarded one by one, all others with the cluster.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_configs::{AlterConfigsRequest, AlterConfigsResponse};
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResponse,
};
use kafkars_protocol::messages::incremental_alter_configs::{
    IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse,
};

use super::{part, split};
use crate::handlers::{Peer, RequestGuard};
use crate::security::acl::AclOperation::{self, AlterConfigs, DescribeConfigs};
use crate::settings::resource;

/// The code that a resource is refused with, if the client may not touch it.
fn denial(peer: &Peer, operation: AclOperation, kind: i8, name: &str) -> Option<ErrorCode> {
    let (may, code) = match kind {
        resource::TOPIC => (
            peer.may_topic(operation, name),
            ErrorCode::TopicAuthorizationFailed,
        ),
        resource::GROUP => (
            peer.may_group(operation, name),
            ErrorCode::GroupAuthorizationFailed,
        ),
        _ => (
            peer.may_cluster(operation),
            ErrorCode::ClusterAuthorizationFailed,
        ),
    };
    (!may).then_some(code)
}

macro_rules! by_resource {
    ($request:ident, $response:ident, $operation:ident, $answers:ident) => {
        impl RequestGuard for $request {
            fn take_denied(&mut self, peer: &Peer, _version: i16) -> Vec<(Self, ErrorCode)> {
                let mut parts = Vec::new();
                for code in [
                    ErrorCode::TopicAuthorizationFailed,
                    ErrorCode::GroupAuthorizationFailed,
                    ErrorCode::ClusterAuthorizationFailed,
                ] {
                    let denied = split(&mut self.resources, |it| {
                        let denial = denial(peer, $operation, it.resource_type, &it.resource_name);
                        denial != Some(code)
                    });
                    parts.extend(part(denied, code, |resources| Self { resources, ..*self }));
                }
                parts
            }

            fn merge(answer: &mut $response, refused: $response) {
                answer.$answers.extend(refused.$answers);
            }
        }
    };
}

by_resource!(
    DescribeConfigsRequest,
    DescribeConfigsResponse,
    DescribeConfigs,
    results
);
by_resource!(
    AlterConfigsRequest,
    AlterConfigsResponse,
    AlterConfigs,
    responses
);
by_resource!(
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    AlterConfigs,
    responses
);
