//! ListConfigResources, versions 0 and 1.
//!
//! Kept: topics, brokers, client metrics (KIP-1000) and groups with settings of their own, loggers; version 0 asks for
//! client metrics only, version 1 for the types it names, or all (KIP-1142).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_config_resources::{
    ConfigResource, ListConfigResourcesRequest, ListConfigResourcesResponse,
};

use super::{Handled, Peer, Serve};
use crate::settings::resource;

/// First version that names types.
const TYPES_SINCE: i16 = 1;
/// Types that may be asked for.
const TYPES: &[i8] = &[
    resource::GROUP,
    resource::CLIENT_METRICS,
    resource::BROKER_LOGGER,
    resource::BROKER,
    resource::TOPIC,
];

impl Serve for ListConfigResourcesRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ListConfigResourcesResponse> {
        let types: &[i8] = match version {
            TYPES_SINCE.. if self.resource_types.is_empty() => TYPES,
            TYPES_SINCE.. => &self.resource_types,
            _ => &[resource::CLIENT_METRICS],
        };
        if types.iter().any(|wanted| !TYPES.contains(wanted)) {
            return Handled::Now(self.refuse(peer, version, ErrorCode::UnsupportedVersion));
        }
        let state = peer.cluster.state();
        let mut config_resources = Vec::new();
        for resource_type in types {
            let names: Vec<String> = match *resource_type {
                resource::TOPIC => state.topics().map(|topic| topic.name.clone()).collect(),
                // Every broker has loggers.
                resource::BROKER | resource::BROKER_LOGGER => {
                    let nodes = peer.cluster.nodes.alive();
                    nodes.iter().map(|node| node.id.to_string()).collect()
                }
                resource::CLIENT_METRICS => state.client_metrics.names().cloned().collect(),
                resource::GROUP => state.groups.configs.groups().map(str::to_owned).collect(),
                _ => Vec::new(),
            };
            config_resources.extend(names.into_iter().map(|resource_name| ConfigResource {
                resource_name,
                resource_type: *resource_type,
            }));
        }
        Handled::Now(ListConfigResourcesResponse {
            throttle_time_ms: 0,
            error_code: 0,
            config_resources,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ListConfigResourcesResponse {
        ListConfigResourcesResponse {
            error_code: code.code(),
            ..ListConfigResourcesResponse::default()
        }
    }
}
