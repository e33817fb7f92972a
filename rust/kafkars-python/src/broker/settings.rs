//! What an embedded broker is started with, as `kafkars.testing` gives it.

use std::path::PathBuf;
use std::time::Duration;

use kafkars_broker::{BrokerConfig, ClockMode, GroupSettings, MigrationPolicy, NewTopic};
use pyo3::prelude::*;

use crate::error;

/// Settings by name; `kafkars.testing` always gives all of them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    nodes: u16,
    port: u16,
    topics: Vec<TopicArguments>,
    auto_create_topics: bool,
    default_partitions: i32,
    default_replication_factor: i16,
    topic_defaults: Vec<(String, String)>,
    advertised_host: Option<String>,
    advertised_port: Option<u16>,
    requests_recorded: usize,
    connections_max_idle: f64,
    clock: String,
    cleanup_interval: Option<f64>,
    version: Option<String>,
    data_dir: Option<PathBuf>,
    group_migration_policy: String,
}

/// A topic as Python gives it: name, partitions, replicas, settings.
pub(crate) type TopicArguments = (String, Option<i32>, Option<i16>, Vec<(String, String)>);

impl Settings {
    pub(crate) fn into_config(self) -> PyResult<BrokerConfig> {
        let clock = match self.clock.as_str() {
            "wall" => ClockMode::Wall,
            "manual" => ClockMode::Manual,
            other => {
                let message = format!("clock: {other:?} is neither \"wall\" nor \"manual\"");
                return Err(error::config(message));
            }
        };
        let Ok(connections_max_idle) = Duration::try_from_secs_f64(self.connections_max_idle)
        else {
            let idle = self.connections_max_idle;
            let message = format!("connections_max_idle: {idle} is not a number of seconds");
            return Err(error::config(message));
        };
        let cleanup_interval = match self.cleanup_interval.map(Duration::try_from_secs_f64) {
            None => None,
            Some(Ok(interval)) if !interval.is_zero() => Some(interval),
            Some(_) => {
                let interval = self.cleanup_interval.unwrap_or_default();
                let message =
                    format!("cleanup_interval: {interval} is not a positive number of seconds");
                return Err(error::config(message));
            }
        };
        let Some(migration_policy) = MigrationPolicy::named(&self.group_migration_policy) else {
            let message = format!(
                "group_migration_policy: {:?} is none of \"bidirectional\", \"upgrade\", \"downgrade\" and \"disabled\"",
                self.group_migration_policy
            );
            return Err(error::config(message));
        };
        Ok(BrokerConfig {
            nodes: self.nodes,
            port: self.port,
            topics: self.topics.into_iter().map(topic).collect(),
            auto_create_topics: self.auto_create_topics,
            default_partitions: self.default_partitions,
            default_replication_factor: self.default_replication_factor,
            topic_defaults: self.topic_defaults,
            advertised_host: self.advertised_host,
            advertised_port: self.advertised_port,
            requests_recorded: self.requests_recorded,
            connections_max_idle,
            clock,
            cleanup_interval,
            version: self.version,
            data_dir: self.data_dir,
            groups: GroupSettings {
                migration_policy,
                ..GroupSettings::default()
            },
            ..BrokerConfig::default()
        })
    }
}

pub(crate) fn topic((name, partitions, replication_factor, configs): TopicArguments) -> NewTopic {
    NewTopic {
        name,
        partitions,
        replication_factor,
        configs,
    }
}
