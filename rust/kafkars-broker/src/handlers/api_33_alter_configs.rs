//! AlterConfigs, versions 0 to 2.
//!
//! Kept: what the request does not name goes back to its default; dry runs; topics, brokers and client metrics.
//!
//! Skipped: groups and loggers, as in Kafka.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_configs::{
    AlterConfigsRequest, AlterConfigsResource, AlterConfigsResourceResponse, AlterConfigsResponse,
    AlterableConfig,
};

use super::alter_settings::{ResourceAlteration, SettingChange, alter};
use super::{Handled, Peer, Serve};
use crate::refusal::{RefusedRequest, told};
use crate::settings::resource;
use crate::state::ClusterState;

impl Serve for AlterConfigsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AlterConfigsResponse> {
        let mut state = peer.cluster.state();
        Handled::Now(respond(&self, |resource| {
            carry_out(peer, &mut state, resource, self.validate_only)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> AlterConfigsResponse {
        respond(self, |_| Err(code.into()))
    }
}

fn respond(
    request: &AlterConfigsRequest,
    mut each: impl FnMut(&AlterConfigsResource) -> Result<(), RefusedRequest>,
) -> AlterConfigsResponse {
    let response = |resource: &AlterConfigsResource| {
        let (error_code, error_message) = told(each(resource));
        AlterConfigsResourceResponse {
            error_code,
            error_message,
            resource_type: resource.resource_type,
            resource_name: resource.resource_name.clone(),
        }
    };
    AlterConfigsResponse {
        throttle_time_ms: 0,
        responses: request.resources.iter().map(response).collect(),
    }
}

fn carry_out(
    peer: &Peer,
    state: &mut ClusterState,
    resource: &AlterConfigsResource,
    validate_only: bool,
) -> Result<(), RefusedRequest> {
    if !matches!(
        resource.resource_type,
        resource::TOPIC | resource::BROKER | resource::CLIENT_METRICS
    ) {
        let reason = format!("Unknown resource type {}.", resource.resource_type);
        return Err(RefusedRequest::invalid(reason));
    }
    let mut changes = Vec::with_capacity(resource.configs.len());
    for AlterableConfig { name, value } in &resource.configs {
        let Some(value) = value else {
            let reason = format!("{name} cannot be set to null.");
            return Err(RefusedRequest::invalid(reason));
        };
        changes.push((name.clone(), SettingChange::Set(value.clone())));
    }
    let wanted = ResourceAlteration {
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        replaces: true,
        changes,
    };
    alter(peer, state, &wanted, validate_only)
}
