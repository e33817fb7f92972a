//! The settings that a broker is started with.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::{ApiKey, VersionRange};

use crate::clock::ClockMode;
use crate::error::EmbeddedBrokerError;
use crate::releases::Release;
use crate::security::listener::{self, CheckedListener};
use crate::security::{AclSettings, ListenerConfig, User};
use crate::settings::group::GroupSettings;
use crate::settings::topic::TopicConfig;
use crate::topic_name;

/// Nodes one embedded cluster may have: each has a listener of its own.
pub const MAX_NODES: u16 = 100;

/// Partitions one topic may have, and one request may create: Kafka's controller draws the same line.
pub const MAX_PARTITIONS: i32 = 10_000;

/// Settings of an [`EmbeddedBroker`](crate::EmbeddedBroker); the defaults are Kafka's where Kafka has the setting.
#[derive(Debug, Clone)]
pub struct BrokerConfig {
    /// Nodes of the cluster, numbered from 1. Default 1, at most [`MAX_NODES`].
    pub nodes: u16,
    /// Listeners that every node has; the first takes `port` where it names none itself. Default none: a plain one on
    /// `port`.
    pub listeners: Vec<ListenerConfig>,
    /// Users that there are from the start, for PLAIN and SCRAM. Default none.
    pub users: Vec<User>,
    /// Access control. Default none: everybody may do everything, and rules are refused (`SECURITY_DISABLED`).
    pub acls: Option<AclSettings>,
    /// The time a client may take to agree on keys, and then to log in. Default 10 s.
    pub login_timeout: Duration,
    /// Address the listeners are bound to. Default 127.0.0.1.
    pub bind: IpAddr,
    /// Port of node 1; the next nodes take the ports that follow. Default 0: free ports.
    pub port: u16,
    /// Host that clients are told instead of `bind`, whether it leads here or not. Default none.
    pub advertised_host: Option<String>,
    /// Port that clients are told instead of the real one of every node, whether it leads here or not. Default none.
    pub advertised_port: Option<u16>,
    /// True if asking for the metadata of an unknown topic creates it. Default true.
    pub auto_create_topics: bool,
    /// Partitions of a topic that is created without saying how many. Default 1.
    pub default_partitions: i32,
    /// Replicas of a topic that is created without saying how many; never more than there are nodes. Default 1.
    pub default_replication_factor: i16,
    /// Topics that are there from the start.
    pub topics: Vec<NewTopic>,
    /// Topic settings that hold where a topic does not say otherwise, by Kafka's topic config names
    /// (`max.message.bytes`, `message.timestamp.type`, `retention.bytes`, …).
    pub topic_defaults: Vec<(String, String)>,
    /// The release of Kafka to pass for, from "0.11" on, such as "2.8"; a patch number is allowed. It limits the
    /// versions of all APIs and changes what that release does otherwise. Default none: the newest.
    pub version: Option<String>,
    /// A directory to keep everything in across restarts, made if it is not there. Default none: all is gone at the
    /// end.
    pub data_dir: Option<PathBuf>,
    /// Limits on what `ApiVersions` offers and the broker serves, below what its version does.
    pub api_limits: Vec<ApiLimit>,
    /// Largest request accepted, in bytes (`socket.request.max.bytes`). Default 100 MiB.
    pub request_max_bytes: usize,
    /// Largest fetch response, whatever the client asks for (`fetch.max.bytes`). Default 55 MiB.
    pub fetch_max_bytes: usize,
    /// The time a connection may be idle (`connections.max.idle.ms`). Default 10 minutes.
    pub connections_max_idle: Duration,
    /// Settings of group coordinators.
    pub groups: GroupSettings,
    /// Number of the latest requests that [`requests_seen`](crate::EmbeddedBroker::requests_seen) remembers. Default
    /// 10,000.
    pub requests_recorded: usize,
    /// Says whether the broker's clock runs with the machine's or is moved by a test. Default [`ClockMode::Wall`].
    pub clock: ClockMode,
    /// The interval at which retention and compaction run, by the broker's clock (`log.retention.check.interval.ms`).
    /// Default none: only when asked for.
    pub cleanup_interval: Option<Duration>,
}

impl Default for BrokerConfig {
    fn default() -> Self {
        Self {
            nodes: 1,
            listeners: Vec::new(),
            users: Vec::new(),
            acls: None,
            login_timeout: Duration::from_secs(10),
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            advertised_host: None,
            advertised_port: None,
            auto_create_topics: true,
            default_partitions: 1,
            default_replication_factor: 1,
            topics: Vec::new(),
            topic_defaults: Vec::new(),
            version: None,
            data_dir: None,
            api_limits: Vec::new(),
            request_max_bytes: 100 * 1024 * 1024,
            fetch_max_bytes: 55 * 1024 * 1024,
            connections_max_idle: Duration::from_secs(600),
            groups: GroupSettings::default(),
            requests_recorded: 10_000,
            clock: ClockMode::Wall,
            cleanup_interval: None,
        }
    }
}

impl BrokerConfig {
    /// Checks every setting and gives the form the broker works with.
    pub(crate) fn check(self) -> Result<CheckedConfig, EmbeddedBrokerError> {
        let invalid = |setting: &'static str, reason: String| {
            Err(EmbeddedBrokerError::InvalidSetting { setting, reason })
        };
        if self.nodes == 0 || self.nodes > MAX_NODES {
            return invalid(
                "nodes",
                format!("{} is not between 1 and {MAX_NODES}", self.nodes),
            );
        }
        if self.port != 0 && self.port.checked_add(self.nodes - 1).is_none() {
            return invalid(
                "port",
                format!("{} nodes do not fit above port {}", self.nodes, self.port),
            );
        }
        if !(1..=MAX_PARTITIONS).contains(&self.default_partitions) {
            let reason = format!(
                "{} is not between 1 and {MAX_PARTITIONS}",
                self.default_partitions
            );
            return invalid("default_partitions", reason);
        }
        if self.default_replication_factor < 1 {
            let reason = format!("{} is less than 1", self.default_replication_factor);
            return invalid("default_replication_factor", reason);
        }
        if i32::from(self.default_replication_factor) > i32::from(self.nodes) {
            let reason = format!(
                "{} is more than nodes={}: each replica is on a node of its own",
                self.default_replication_factor, self.nodes
            );
            return invalid("default_replication_factor", reason);
        }
        if self.request_max_bytes < 1024 || self.request_max_bytes > i32::MAX as usize {
            return invalid(
                "request_max_bytes",
                format!("{} is not between 1 KiB and 2 GiB", self.request_max_bytes),
            );
        }
        for topic in &self.topics {
            if let Err(problem) = topic_name::check(&topic.name) {
                return invalid("topics", format!("{:?}: {problem}", topic.name));
            }
        }
        if let Err(problem) = TopicConfig::new(&Arc::default(), &self.topic_defaults) {
            return invalid("topic_defaults", problem.to_string());
        }
        let release = match &self.version {
            None => Release::default(),
            Some(version) => match Release::named(version) {
                Some(release) => release,
                None => {
                    let reason = format!("{version:?} is none of {}", Release::names());
                    return invalid("version", reason);
                }
            },
        };
        let default_replication_factor = self.default_replication_factor;
        for rule in self.acls.iter().flat_map(|acls| &acls.rules) {
            if let Err(reason) = rule.check() {
                return invalid("acls", reason);
            }
        }
        let listeners = listener::check(&self.listeners, self.port, self.nodes)?;
        Ok(CheckedConfig {
            listeners,
            default_replication_factor,
            release,
            user: self,
        })
    }
}

/// Settings that have been checked; everything behind `start` works with these.
#[derive(Debug, Clone)]
pub(crate) struct CheckedConfig {
    pub(crate) user: BrokerConfig,
    pub(crate) default_replication_factor: i16,
    pub(crate) release: Release,
    /// The listeners, of which there is at least one.
    pub(crate) listeners: Vec<CheckedListener>,
}

/// A topic to be created.
#[derive(Debug, Clone, Default)]
pub struct NewTopic {
    /// The topic's name.
    pub name: String,
    /// The number of partitions; none: the broker's default.
    pub partitions: Option<i32>,
    /// The number of replicas; none: the broker's default.
    pub replication_factor: Option<i16>,
    /// Settings by Kafka's topic config names.
    pub configs: Vec<(String, String)>,
}

impl NewTopic {
    /// Describes a topic with so many partitions and the broker's defaults otherwise.
    pub fn new(name: impl Into<String>, partitions: i32) -> Self {
        Self {
            name: name.into(),
            partitions: Some(partitions),
            ..Self::default()
        }
    }
}

/// The versions of one API that a broker offers, at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiLimit {
    /// The API that is limited.
    pub api: ApiKey,
    /// The versions that are left; none: the broker does not know this API.
    pub versions: Option<VersionRange>,
}
