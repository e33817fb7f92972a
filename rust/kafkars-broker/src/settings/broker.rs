//! Settings of brokers: those of the start, and those changed since then for all or for single ones (KIP-226).

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use super::broker_table;
use super::source;
use super::topic::TopicDefaults;
use super::topic_table::SETTINGS;
use crate::config::CheckedConfig;
use crate::settings::group_configs::shortest_heartbeat_ms;

/// Settings that one broker can be given while it runs, names that are not known included. Kafka has no limit.
pub(crate) const DYNAMIC_LIMIT: usize = 1_000;

/// Names and values.
pub(crate) type Values = BTreeMap<String, String>;

/// A value with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sourced {
    /// The setting of the broker that has it.
    pub(crate) name: String,
    pub(crate) value: String,
    /// The source, in Kafka's numbers.
    pub(crate) source: i8,
}

impl Sourced {
    pub(crate) fn new(name: &str, value: impl Into<String>, source: i8) -> Self {
        Self {
            name: name.to_owned(),
            value: value.into(),
            source,
        }
    }
}

/// Settings of the brokers.
#[derive(Debug)]
pub(crate) struct BrokerSettings {
    /// The settings that the cluster was started with.
    fixed: Values,
    /// The settings that were changed for all nodes.
    cluster: Values,
    /// The settings that were changed for single nodes.
    nodes: BTreeMap<i32, Values>,
    /// True if there is one node only, at least at the start.
    single: bool,
    topic_defaults: Arc<TopicDefaults>,
}

impl BrokerSettings {
    pub(crate) fn new(config: &CheckedConfig) -> Self {
        let mut settings = Self {
            fixed: fixed(config),
            cluster: Values::new(),
            nodes: BTreeMap::new(),
            single: config.user.nodes == 1,
            topic_defaults: Arc::default(),
        };
        settings.topic_defaults = settings.derive();
        settings
    }

    /// The settings of topics that say nothing else.
    pub(crate) fn topic_defaults(&self) -> &Arc<TopicDefaults> {
        &self.topic_defaults
    }

    /// The settings that were changed for one node, or for all.
    pub(crate) fn dynamic(&self, node: Option<i32>) -> Values {
        match node {
            Some(node) => self.nodes.get(&node).cloned().unwrap_or_default(),
            None => self.cluster.clone(),
        }
    }

    /// The settings that were changed for single nodes.
    pub(crate) fn of_nodes(&self) -> impl Iterator<Item = (i32, &Values)> {
        self.nodes.iter().map(|(node, values)| (*node, values))
    }

    /// Changes the settings of one node, or of all.
    pub(crate) fn set_dynamic(&mut self, node: Option<i32>, values: Values) {
        match node {
            Some(node) if values.is_empty() => drop(self.nodes.remove(&node)),
            Some(node) => drop(self.nodes.insert(node, values)),
            None => self.cluster = values,
        }
        self.topic_defaults = self.derive();
    }

    /// Every value a setting has for a node, the one that holds first.
    pub(crate) fn values(&self, node: i32, name: &str) -> Vec<Sourced> {
        let own = self.nodes.get(&node).and_then(|values| values.get(name));
        let default = broker_table::find(name).and_then(|setting| setting.default);
        let values = [
            (own.map(String::as_str), source::DYNAMIC_BROKER),
            (
                self.cluster.get(name).map(String::as_str),
                source::DYNAMIC_DEFAULT_BROKER,
            ),
            (
                self.fixed.get(name).map(String::as_str),
                source::STATIC_BROKER,
            ),
            (default, source::DEFAULT),
        ];
        let sourced =
            |(value, source): (Option<&str>, i8)| Some(Sourced::new(name, value?, source));
        values.into_iter().filter_map(sourced).collect()
    }

    /// Works out the defaults of topics. All nodes share one log, so a topic has one default: what was changed for all,
    /// or for the only node there is.
    fn derive(&self) -> Arc<TopicDefaults> {
        let mut defaults = TopicDefaults::new();
        let only = self.nodes.get(&1).filter(|_| self.single);
        for setting in SETTINGS {
            let name = setting.synonym.unwrap_or(setting.name);
            let value = only
                .and_then(|values| values.get(name))
                .or_else(|| self.cluster.get(name))
                .or_else(|| self.fixed.get(name));
            if let Some(value) = value {
                defaults.insert(setting.name, value.clone());
            }
        }
        Arc::new(defaults)
    }
}

/// The settings that `BrokerConfig` stands for, by Kafka's names.
fn fixed(config: &CheckedConfig) -> Values {
    let user = &config.user;
    let mut values = Values::new();
    for (name, value) in &user.topic_defaults {
        let setting = SETTINGS.iter().find(|setting| setting.name == name);
        let broker_name = setting.and_then(|setting| setting.synonym).unwrap_or(name);
        values.insert(broker_name.to_owned(), value.trim().to_owned());
    }
    let groups = &user.groups;
    let milliseconds = |duration: Duration| duration.as_millis();
    let heartbeat = milliseconds(groups.consumer_heartbeat_interval);
    let shortest_heartbeat = shortest_heartbeat_ms(groups.consumer_heartbeat_interval);
    let offsets_minutes = groups.offsets_retention.as_secs() / 60;
    let mut set = |name: &str, value: &dyn Display| {
        let value = value.to_string();
        let default = broker_table::find(name).and_then(|setting| setting.default);
        if default != Some(value.as_str()) {
            values.insert(name.to_owned(), value);
        }
    };
    set("auto.create.topics.enable", &user.auto_create_topics);
    set("num.partitions", &user.default_partitions);
    set(
        "default.replication.factor",
        &config.default_replication_factor,
    );
    set("fetch.max.bytes", &user.fetch_max_bytes);
    set("socket.request.max.bytes", &user.request_max_bytes);
    set(
        "connections.max.idle.ms",
        &milliseconds(user.connections_max_idle),
    );
    set(
        "group.initial.rebalance.delay.ms",
        &milliseconds(groups.initial_rebalance_delay),
    );
    set(
        "group.min.session.timeout.ms",
        &milliseconds(groups.min_session_timeout),
    );
    set(
        "group.max.session.timeout.ms",
        &milliseconds(groups.max_session_timeout),
    );
    set("group.max.size", &groups.max_size);
    set("group.consumer.max.size", &groups.max_size);
    set(
        "group.consumer.session.timeout.ms",
        &milliseconds(groups.consumer_session_timeout),
    );
    set("group.consumer.heartbeat.interval.ms", &heartbeat);
    set(
        "group.consumer.min.heartbeat.interval.ms",
        &shortest_heartbeat,
    );
    set("group.share.heartbeat.interval.ms", &heartbeat);
    set("group.share.min.heartbeat.interval.ms", &shortest_heartbeat);
    set(
        "group.consumer.migration.policy",
        &groups.migration_policy.name(),
    );
    set("offsets.retention.minutes", &offsets_minutes);
    set(
        "offset.metadata.max.bytes",
        &groups.offset_metadata_max_bytes,
    );
    set("process.roles", &"broker,controller");
    values
}
