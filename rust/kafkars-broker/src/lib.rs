//! An in-memory Kafka broker over real TCP, for tests, demonstrations and development.
//!
//! [`EmbeddedBroker::start`] gives a cluster of one or several nodes that any Kafka client can connect to. What it
//! leaves out is listed in `docs/reference/embedded-broker.md`. It shares no code with the client but the wire format
//! and the record batches, so that a mistake in one is not hidden by the same mistake in the other.
//!
//! ```
//! use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};
//!
//! # fn main() -> Result<(), kafkars_broker::EmbeddedBrokerError> {
//! let topics = vec![NewTopic::new("orders", 3)];
//! let broker = EmbeddedBroker::start(BrokerConfig { topics, ..BrokerConfig::default() })?;
//! assert!(broker.bootstrap_servers().starts_with("127.0.0.1:"));
//! broker.stop();
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod aborted_transactions;
mod api_table;
mod append_validation;
mod background;
mod cleanup;
mod clock;
mod cluster;
mod config;
mod connection;
mod control;
mod creation;
mod embedded;
mod error;
mod failover;
mod features;
mod fetch_round;
mod groups;
mod handlers;
mod ids;
mod log;
mod nodes;
mod partition;
mod pattern;
mod private_files;
mod producers;
mod quotas;
mod refusal;
mod releases;
mod scram;
mod security;
mod server;
mod sessions;
mod settings;
mod shares;
mod slow_writer;
mod state;
mod storage;
mod topic;
mod topic_name;
mod topics;
mod transactions;
mod versions;
mod waiter;

pub use clock::{Clock, ClockMode};
pub use config::{ApiLimit, BrokerConfig, MAX_NODES, MAX_PARTITIONS, NewTopic};
pub use control::fault::{Corruption, FaultAction};
pub use control::intercept::{Intercept, InterceptId};
pub use control::link_shaper::LinkSettings;
pub use control::requests::SeenRequest;
pub use embedded::EmbeddedBroker;
pub use error::EmbeddedBrokerError;
pub use nodes::{CoordinatorType, NodeState};
pub use security::{
    Acl, AclOperation, AclSettings, ClientAuth, ListenerConfig, PatternType, Permission,
    ResourceType, SaslMechanism, SecurityProtocol, TlsSettings, User,
};
pub use settings::group::GroupSettings;
pub use settings::migration::MigrationPolicy;
