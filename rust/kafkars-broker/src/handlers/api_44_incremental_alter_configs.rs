//! IncrementalAlterConfigs, versions 0 and 1 (KIP-339).
//!
//! Kept: setting, resetting, adding to lists and taking from them; dry runs; topics, brokers, groups and client
//! metrics, and the levels of loggers, which change nothing in what is logged.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::incremental_alter_configs::{
    AlterConfigsResource, AlterConfigsResourceResponse, AlterableConfig,
    IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse,
};

use super::alter_settings::{ResourceAlteration, SettingChange, alter};
use super::{Handled, Peer, Serve};
use crate::refusal::{RefusedRequest, told};
use crate::state::ClusterState;

impl Serve for IncrementalAlterConfigsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<IncrementalAlterConfigsResponse> {
        let mut state = peer.cluster.state();
        Handled::Now(respond(&self, |resource| {
            carry_out(peer, &mut state, resource, self.validate_only)
        }))
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> IncrementalAlterConfigsResponse {
        respond(self, |_| Err(code.into()))
    }
}

fn respond(
    request: &IncrementalAlterConfigsRequest,
    mut each: impl FnMut(&AlterConfigsResource) -> Result<(), RefusedRequest>,
) -> IncrementalAlterConfigsResponse {
    let response = |resource: &AlterConfigsResource| {
        let (error_code, error_message) = told(each(resource));
        AlterConfigsResourceResponse {
            error_code,
            error_message,
            resource_type: resource.resource_type,
            resource_name: resource.resource_name.clone(),
        }
    };
    IncrementalAlterConfigsResponse {
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
    let changes: Result<Vec<_>, RefusedRequest> = resource.configs.iter().map(change).collect();
    let wanted = ResourceAlteration {
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        replaces: false,
        changes: changes?,
    };
    alter(peer, state, &wanted, validate_only)
}

/// The operations by Kafka's numbers.
fn change(config: &AlterableConfig) -> Result<(String, SettingChange), RefusedRequest> {
    let name = config.name.clone();
    let value = || {
        config.value.clone().ok_or_else(|| {
            let reason = format!("Null value not supported for : {name}");
            RefusedRequest::invalid(reason)
        })
    };
    let change = match config.config_operation {
        0 => SettingChange::Set(value()?),
        1 => SettingChange::Delete,
        2 => SettingChange::Append(value()?),
        3 => SettingChange::Subtract(value()?),
        other => {
            let reason = format!("There is no operation {other}.");
            return Err(RefusedRequest::invalid(reason));
        }
    };
    Ok((name, change))
}
