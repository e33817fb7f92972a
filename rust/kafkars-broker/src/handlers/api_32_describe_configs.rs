//! DescribeConfigs, versions 1 to 4.
//!
//! Kept: the settings of topics, brokers, groups and client metrics, with their types (version 3), origins and
//! synonyms, and the levels of loggers. A broker describes itself, and with an empty name what was changed for all.
//!
//! Skipped: documentation; of the 340 settings of a broker, those that mean something neither to
//! clients nor to this broker.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource, DescribeConfigsResourceResult,
    DescribeConfigsResponse, DescribeConfigsResult, DescribeConfigsSynonym,
};

use super::alter_settings::own_id;
use super::{Handled, Peer, Serve};
use crate::refusal::RefusedRequest;
use crate::settings::broker::Sourced;
use crate::settings::broker_table::{self, BROKER_SETTINGS};
use crate::settings::client_metrics::CLIENT_METRICS_SETTINGS;
use crate::settings::group_configs::GroupSetting;
use crate::settings::topic_table::{SETTINGS, Setting};
use crate::settings::{resource, source};
use crate::state::ClusterState;
use crate::topic_name;

/// The type of a setting that the broker does not know.
const UNKNOWN_TYPE: i8 = 0;

impl Serve for DescribeConfigsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DescribeConfigsResponse> {
        let state = peer.cluster.state();
        let result = |resource: &DescribeConfigsResource| {
            let mut configs = match describe(peer, &state, resource) {
                Ok(configs) => configs,
                Err(refusal) => return failure(resource, refusal),
            };
            let keys = resource.configuration_keys.as_ref();
            if let Some(keys) = keys.filter(|keys| !keys.is_empty()) {
                configs.retain(|config| keys.contains(&config.name));
            }
            if !self.include_synonyms {
                configs
                    .iter_mut()
                    .for_each(|config| config.synonyms.clear());
            }
            DescribeConfigsResult {
                configs,
                // Not null, which is how Kafka says that there is none.
                error_message: Some(String::new()),
                ..result(resource)
            }
        };
        Handled::Now(DescribeConfigsResponse {
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
    peer: &Peer,
    state: &ClusterState,
    resource: &DescribeConfigsResource,
) -> Result<Vec<DescribeConfigsResourceResult>, RefusedRequest> {
    let name = resource.resource_name.as_str();
    match resource.resource_type {
        resource::TOPIC => of_topic(peer, state, name),
        resource::BROKER if name.is_empty() => Ok(of_all_brokers(state)),
        resource::BROKER => {
            own_id(peer, name)?;
            Ok(of_broker(peer, state))
        }
        resource::CLIENT_METRICS => Ok(of_client_metrics(state, name)),
        resource::GROUP => Ok(of_group(peer, state, name)),
        resource::BROKER_LOGGER => of_loggers(peer, state, name),
        other => Err(RefusedRequest::invalid(format!(
            "Unknown resource type {other}."
        ))),
    }
}

fn of_loggers(
    peer: &Peer,
    state: &ClusterState,
    name: &str,
) -> Result<Vec<DescribeConfigsResourceResult>, RefusedRequest> {
    let node = peer.node;
    match name.parse::<i32>() {
        Ok(id) if id == node => {}
        Ok(id) => {
            let reason = format!("Unexpected broker id, expected {node} but received {id}");
            return Err(RefusedRequest::invalid(reason));
        }
        Err(_) if name.is_empty() => {
            return Err(RefusedRequest::invalid("Broker id must not be empty"));
        }
        Err(_) => {
            let reason = format!("Broker id must be an integer, but it is: {name}");
            return Err(RefusedRequest::invalid(reason));
        }
    }
    let level = |(logger, level): (&str, &str)| DescribeConfigsResourceResult {
        name: logger.to_owned(),
        value: Some(level.to_owned()),
        config_source: source::LOGGER,
        config_type: UNKNOWN_TYPE,
        ..DescribeConfigsResourceResult::default()
    };
    Ok(state.loggers.of(node).map(level).collect())
}

fn of_topic(
    peer: &Peer,
    state: &ClusterState,
    name: &str,
) -> Result<Vec<DescribeConfigsResourceResult>, RefusedRequest> {
    topic_name::require_legal(name)?;
    let topic = state
        .topic(name)
        .ok_or(ErrorCode::UnknownTopicOrPartition)?;
    let mut configs = Vec::with_capacity(SETTINGS.len());
    for setting in SETTINGS {
        let set = topic.config.overrides().get(setting.name);
        let own = set.map(|value| Sourced::new(setting.name, value, source::TOPIC));
        let mut values: Vec<Sourced> = own.into_iter().collect();
        if let Some(synonym) = setting.synonym {
            values.extend(state.settings.values(peer.node, synonym));
        }
        let mut config = config(setting.name, setting.kind.code(), values);
        if config.value.is_none() {
            config.value = Some(setting.default.to_owned());
            config.config_source = source::DEFAULT;
        }
        configs.push(config);
    }
    Ok(configs)
}

/// Lists all listeners, such as `PLAINTEXT://127.0.0.1:9092`, with the address of each.
fn listeners(peer: &Peer, address: impl Fn(usize) -> String) -> String {
    let listeners = peer.cluster.config.listeners.iter().enumerate();
    let listeners =
        listeners.map(|(index, listener)| format!("{}://{}", listener.name, address(index)));
    listeners.collect::<Vec<String>>().join(",")
}

fn of_broker(peer: &Peer, state: &ClusterState) -> Vec<DescribeConfigsResourceResult> {
    let node = peer.cluster.node(peer.node);
    let mut configs = Vec::with_capacity(BROKER_SETTINGS.len());
    for setting in BROKER_SETTINGS {
        let mut values = state.settings.values(peer.node, setting.name);
        let own = match (setting.name, &node) {
            ("node.id" | "broker.id", _) => Some(peer.node.to_string()),
            ("listeners", Some(node)) => Some(listeners(peer, |listener| {
                node.endpoint(listener).address.to_string()
            })),
            ("advertised.listeners", Some(node)) => Some(listeners(peer, |listener| {
                let endpoint = node.endpoint(listener);
                format!("{}:{}", endpoint.host, endpoint.port)
            })),
            _ => None,
        };
        if let Some(value) = own {
            let fixed = Sourced::new(setting.name, value, source::STATIC_BROKER);
            values.insert(0, fixed);
        }
        let mut config = config(setting.name, setting.kind.code(), values);
        config.read_only = !setting.dynamic;
        configs.push(config);
    }
    let dynamic = state.settings.dynamic(Some(peer.node));
    let unknown = dynamic
        .keys()
        .filter(|name| broker_table::find(name).is_none());
    configs.extend(unknown.map(|name| secret(name, source::DYNAMIC_BROKER)));
    configs
}

fn of_all_brokers(state: &ClusterState) -> Vec<DescribeConfigsResourceResult> {
    let dynamic = state.settings.dynamic(None);
    let describe = |(name, value): (String, String)| match broker_table::find(&name) {
        Some(setting) => {
            let value = Sourced::new(&name, value, source::DYNAMIC_DEFAULT_BROKER);
            config(&name, setting.kind.code(), vec![value])
        }
        None => secret(&name, source::DYNAMIC_DEFAULT_BROKER),
    };
    dynamic.into_iter().map(describe).collect()
}

fn of_client_metrics(state: &ClusterState, name: &str) -> Vec<DescribeConfigsResourceResult> {
    let subscription = state.client_metrics.of(name);
    let describe = |setting: &Setting| {
        let value = subscription.get(setting.name);
        let own = value.map(|value| Sourced::new(setting.name, value, source::CLIENT_METRICS));
        let values = own.into_iter().collect();
        let mut config = config(setting.name, setting.kind.code(), values);
        config.value = config.value.or(Some(setting.default.to_owned()));
        config
    };
    CLIENT_METRICS_SETTINGS.iter().map(describe).collect()
}

fn of_group(peer: &Peer, state: &ClusterState, name: &str) -> Vec<DescribeConfigsResourceResult> {
    let describe = |(setting, value, set): (&GroupSetting, &str, bool)| {
        let own = set.then(|| Sourced::new(setting.name, value, source::GROUP));
        let broker_name = match setting.name {
            // What brokers have no default for.
            "share.auto.offset.reset"
            | "share.isolation.level"
            | "share.renew.acknowledge.enable" => setting.name.to_owned(),
            name => format!("group.{name}"),
        };
        let mut of_broker = state.settings.values(peer.node, &broker_name);
        if of_broker.is_empty() {
            let default = Sourced::new(&broker_name, setting.default, source::DEFAULT);
            of_broker.push(default);
        }
        let values = own.into_iter().chain(of_broker).collect();
        config(setting.name, setting.kind.code(), values)
    };
    state.groups.configs.of(name).map(describe).collect()
}

/// Describes a setting with all its values, of which the first holds; all of them are its synonyms.
fn config(name: &str, config_type: i8, values: Vec<Sourced>) -> DescribeConfigsResourceResult {
    let synonym = |value: &Sourced| DescribeConfigsSynonym {
        name: value.name.clone(),
        value: Some(value.value.clone()),
        source: value.source,
    };
    let first = values.first();
    DescribeConfigsResourceResult {
        name: name.to_owned(),
        value: first.map(|first| first.value.clone()),
        config_source: first.map_or(source::DEFAULT, |first| first.source),
        synonyms: values.iter().map(synonym).collect(),
        config_type,
        ..DescribeConfigsResourceResult::default()
    }
}

/// Describes a setting that is not known, without its value: it may be a password.
fn secret(name: &str, config_source: i8) -> DescribeConfigsResourceResult {
    DescribeConfigsResourceResult {
        name: name.to_owned(),
        value: None,
        read_only: true,
        config_source,
        is_sensitive: true,
        synonyms: vec![DescribeConfigsSynonym {
            name: name.to_owned(),
            value: None,
            source: config_source,
        }],
        config_type: UNKNOWN_TYPE,
        ..DescribeConfigsResourceResult::default()
    }
}

fn result(resource: &DescribeConfigsResource) -> DescribeConfigsResult {
    DescribeConfigsResult {
        resource_type: resource.resource_type,
        resource_name: resource.resource_name.clone(),
        error_message: Some(String::new()),
        ..DescribeConfigsResult::default()
    }
}

fn failure(resource: &DescribeConfigsResource, refusal: RefusedRequest) -> DescribeConfigsResult {
    DescribeConfigsResult {
        error_code: refusal.code.code(),
        error_message: refusal.message,
        ..result(resource)
    }
}
