//! DescribeConfigs, versions 1 to 4.
//!
//! Kept: the settings of topics, all of Kafka's, with their types (version 3) and sources; of brokers, those this one has.
//!
//! Skipped: synonyms and documentation, which are answered empty; loggers, client metrics and groups (INVALID_REQUEST).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
    DescribeConfigsResponse, DescribeConfigsResult,
};

use super::{Answer, Peer, Serve};
use crate::cluster::{Cluster, State};
use crate::incoming::Refusal;
use crate::topic_config::{Kind, SETTINGS, Setting};

/// Kafka's numbers of resource types.
const TOPIC: i8 = 2;
const BROKER: i8 = 4;

/// Where a value is from, in Kafka's numbers.
const FROM_TOPIC: i8 = 1;
const FROM_STATIC_BROKER: i8 = 4;
const FROM_DEFAULT: i8 = 5;

impl Serve for DescribeConfigsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Answer<DescribeConfigsResponse> {
        let state = peer.cluster.state();
        let result =
            |resource: &DescribeConfigsResource| match describe(&peer.cluster, &state, resource) {
                Ok(configs) => DescribeConfigsResult {
                    configs,
                    ..result(resource)
                },
                Err(refusal) => failure(resource, refusal),
            };
        Answer::Now(DescribeConfigsResponse {
            throttle_time_ms: 0,
            results: self.resources.iter().map(result).collect(),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeConfigsResponse {
        let results = self
            .resources
            .iter()
            .map(|resource| failure(resource, code.into()))
            .collect();
        DescribeConfigsResponse {
            throttle_time_ms: 0,
            results,
        }
    }
}

fn describe(
    cluster: &Cluster,
    state: &State,
    resource: &DescribeConfigsResource,
) -> Result<Vec<DescribeConfigsResourceResult>, Refusal> {
    let mut configs = match resource.resource_type {
        TOPIC => {
            let topic = state
                .topic(&resource.resource_name)
                .ok_or(ErrorCode::UnknownTopicOrPartition)?;
            SETTINGS
                .iter()
                .map(|setting| of_topic(setting, topic.config.value_of(setting)))
                .collect()
        }
        BROKER => of_broker(cluster, &resource.resource_name)?,
        _ => {
            return Err(Refusal::new(
                ErrorCode::InvalidRequest,
                "This broker describes topics and brokers only.",
            ));
        }
    };
    if let Some(keys) = &resource.configuration_keys {
        configs.retain(|config| keys.contains(&config.name));
    }
    Ok(configs)
}

fn of_topic(setting: &Setting, (value, set): (&str, bool)) -> DescribeConfigsResourceResult {
    let source = if set { FROM_TOPIC } else { FROM_DEFAULT };
    config(setting.name, value.to_owned(), source, setting.kind)
}

/// An empty name asks for what holds for all brokers when changed at run time: nothing.
fn of_broker(cluster: &Cluster, name: &str) -> Result<Vec<DescribeConfigsResourceResult>, Refusal> {
    if name.is_empty() {
        return Ok(Vec::new());
    }
    let Some(node) = name.parse().ok().and_then(|id| cluster.node(id)) else {
        let reason = format!("Unexpected broker id {name:?}.");
        return Err(Refusal::new(ErrorCode::InvalidRequest, reason));
    };
    let user = &cluster.config.user;
    let number = Kind::Int { min: 0 };
    let fixed = |name, value: String, kind| config(name, value, FROM_STATIC_BROKER, kind);
    let mut configs = vec![
        fixed(
            "auto.create.topics.enable",
            user.auto_create_topics.to_string(),
            Kind::Boolean,
        ),
        fixed(
            "connections.max.idle.ms",
            user.connections_max_idle.as_millis().to_string(),
            Kind::Long { min: 0 },
        ),
        fixed(
            "default.replication.factor",
            cluster.config.default_replication_factor.to_string(),
            number,
        ),
        fixed("fetch.max.bytes", user.fetch_max_bytes.to_string(), number),
        fixed(
            "message.max.bytes",
            cluster.config.topic_defaults.max_message_bytes.to_string(),
            number,
        ),
        fixed("node.id", node.id.to_string(), number),
        fixed(
            "num.partitions",
            user.default_partitions.to_string(),
            number,
        ),
        fixed(
            "socket.request.max.bytes",
            user.request_max_bytes.to_string(),
            number,
        ),
    ];
    configs
        .iter_mut()
        .for_each(|config| config.read_only = true);
    Ok(configs)
}

fn config(
    name: &str,
    value: String,
    config_source: i8,
    kind: Kind,
) -> DescribeConfigsResourceResult {
    DescribeConfigsResourceResult {
        name: name.to_owned(),
        value: Some(value),
        config_source,
        config_type: kind.code(),
        ..DescribeConfigsResourceResult::default()
    }
}

fn result(resource: &DescribeConfigsResource) -> DescribeConfigsResult {
    DescribeConfigsResult {
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        error_message: None,
        ..DescribeConfigsResult::default()
    }
}

fn failure(resource: &DescribeConfigsResource, refusal: Refusal) -> DescribeConfigsResult {
    DescribeConfigsResult {
        error_code: refusal.code.code(),
        error_message: refusal.message,
        ..result(resource)
    }
}
