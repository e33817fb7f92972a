//! The settings of an embedded broker, as `kafkars.testing` passes them.

use std::path::PathBuf;
use std::time::Duration;

use kafkars_broker::{BrokerConfig, ClockMode, GroupSettings, MigrationPolicy, NewTopic};
use pyo3::prelude::*;

use super::security::{self, AclArguments, ListenerSettings};
use crate::error;
use crate::secret_text::SecretText;

/// Settings by name; `kafkars.testing` always gives all of them. Numbers are wider than needed, so that the error for
/// one that does not fit has its name and value.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    nodes: i64,
    port: i64,
    topics: Vec<TopicArguments>,
    auto_create_topics: bool,
    default_partitions: i64,
    default_replication_factor: i64,
    topic_defaults: Vec<(String, String)>,
    advertised_host: Option<String>,
    advertised_port: Option<i64>,
    requests_recorded: i64,
    connections_max_idle: f64,
    clock: String,
    cleanup_interval: Option<f64>,
    version: Option<String>,
    data_dir: Option<PathBuf>,
    group_migration_policy: String,
    listeners: Vec<ListenerSettings>,
    users: Vec<(String, SecretText)>,
    acls: Option<AclArguments>,
    login_timeout: f64,
}

/// A topic as Python gives it: name, partitions, replicas, settings.
pub(crate) type TopicArguments = (String, Option<i64>, Option<i64>, Vec<(String, String)>);

const PORT: &str = "a port: 0 to 65535";
const PARTITIONS: &str = "a number of partitions";
const REPLICAS: &str = "a number of replicas";

impl Settings {
    pub(crate) fn into_config(self) -> PyResult<BrokerConfig> {
        let clock = match self.clock.as_str() {
            "wall" => ClockMode::Wall,
            "manual" => ClockMode::Manual,
            other => {
                let message = format!("{other:?} is neither \"wall\" nor \"manual\"");
                return Err(error::setting("clock", message));
            }
        };
        let Ok(connections_max_idle) = Duration::try_from_secs_f64(self.connections_max_idle)
        else {
            let idle = self.connections_max_idle;
            let message = format!("{idle} is not a number of seconds");
            return Err(error::setting("connections_max_idle", message));
        };
        let cleanup_interval = match self.cleanup_interval.map(Duration::try_from_secs_f64) {
            None => None,
            Some(Ok(interval)) if !interval.is_zero() => Some(interval),
            Some(_) => {
                let interval = self.cleanup_interval.unwrap_or_default();
                let message = format!("{interval} is not a positive number of seconds");
                return Err(error::setting("cleanup_interval", message));
            }
        };
        let Some(migration_policy) = MigrationPolicy::named(&self.group_migration_policy) else {
            let message = format!(
                "{:?} is none of \"bidirectional\", \"upgrade\", \"downgrade\" and \"disabled\"",
                self.group_migration_policy
            );
            return Err(error::setting("group_migration_policy", message));
        };
        let login_timeout = match Duration::try_from_secs_f64(self.login_timeout) {
            Ok(limit) if !limit.is_zero() => limit,
            _ => {
                let limit = self.login_timeout;
                let message = format!("{limit} is not a positive number of seconds");
                return Err(error::setting("login_timeout", message));
            }
        };
        let listeners = self
            .listeners
            .into_iter()
            .map(ListenerSettings::into_config);
        Ok(BrokerConfig {
            listeners: listeners.collect::<PyResult<_>>()?,
            users: self.users.into_iter().map(security::user).collect(),
            acls: self.acls.map(security::acls).transpose()?,
            login_timeout,
            nodes: number("nodes", self.nodes, "a number of nodes")?,
            port: number("port", self.port, PORT)?,
            topics: self
                .topics
                .into_iter()
                .map(topic)
                .collect::<PyResult<_>>()?,
            auto_create_topics: self.auto_create_topics,
            default_partitions: number("default_partitions", self.default_partitions, PARTITIONS)?,
            default_replication_factor: number(
                "default_replication_factor",
                self.default_replication_factor,
                REPLICAS,
            )?,
            topic_defaults: self.topic_defaults,
            advertised_host: self.advertised_host,
            advertised_port: self
                .advertised_port
                .map(|port| number("advertised_port", port, PORT))
                .transpose()?,
            requests_recorded: number(
                "requests_recorded",
                self.requests_recorded,
                "a number of requests",
            )?,
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

pub(crate) fn topic(
    (name, partitions, replication_factor, configs): TopicArguments,
) -> PyResult<NewTopic> {
    let of = format!("topic {name:?}");
    Ok(NewTopic {
        partitions: partitions
            .map(|given| number(&of, given, PARTITIONS))
            .transpose()?,
        replication_factor: replication_factor
            .map(|given| number(&of, given, REPLICAS))
            .transpose()?,
        name,
        configs,
    })
}

/// Converts a number to the type of the setting.
fn number<T: TryFrom<i64>>(setting: &str, given: i64, what: &str) -> PyResult<T> {
    let misfit = || error::setting(setting, format_args!("{given} is not {what}"));
    T::try_from(given).map_err(|_| misfit())
}
