//! Settings of clients, producers and consumers, and the checks between them.
//!
//! The structs here are user input with Kafka's names and defaults. [`Checked`] is the same input after
//! its rules held: drivers only accept that, so a contradictory setting cannot reach a socket.

mod aws;
mod client;
mod consumer;
mod group;
mod kerberos;
mod producer;
mod secret;
mod security;

use std::ops::Deref;
use std::sync::Arc;

pub use aws::{AwsCredentials, AwsMskIamConfig};
pub use client::ClientConfig;
pub use consumer::{AutoOffsetReset, ConsumerConfig, IsolationLevel};
pub use group::{GroupConfig, GroupProtocol};
pub use kerberos::{
    ContextStep, Kerberos, KerberosConfig, KerberosCredentials, KerberosLibrary, SecurityContext,
};
pub use producer::{Acks, ProducerConfig};
pub use secret::{Callback, Provided, Provider, Secret, SecretSource};
pub use security::{
    ClientIdentity, Pem, SaslConfig, ScramHash, SecurityConfig, SecurityProtocol, TlsConfig,
    TlsVersion, Token, TokenSource,
};

/// A setting that cannot be used, with the setting's Kafka name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    /// The setting's name as the user writes it (`linger_ms`).
    pub setting: &'static str,
    /// What is wrong and what is accepted.
    pub problem: String,
}

impl ConfigError {
    /// A problem with one setting.
    pub fn new(setting: &'static str, problem: impl Into<String>) -> Self {
        Self {
            setting,
            problem: problem.into(),
        }
    }
}

/// Settings whose rules were checked. Made only by the `check` methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<T>(T);

impl<T> Deref for Checked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A topic and one of its partitions; the name is shared, so clones are cheap.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicPartition {
    /// The topic's name.
    pub topic: Arc<str>,
    /// The partition's number, from 0.
    pub partition: i32,
}

impl std::fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}
