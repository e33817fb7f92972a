//! Settings of clients, producers and consumers, and the checks between them.
//!
//! The structs here are user input with Kafka's names and defaults. [`Checked`] is the same input after its rules were
//! checked: drivers only accept that, so contradictory settings cannot reach a socket.

mod aws;
mod checked;
mod client;
mod consumer;
mod error;
mod group;
mod kerberos;
mod producer;
mod secret;
mod security;
mod topic_partition;

pub use self::aws::{AwsCredentials, AwsMskIamConfig};
pub use self::checked::Checked;
pub use self::client::ClientConfig;
pub use self::consumer::{AutoOffsetReset, ConsumerConfig, IsolationLevel};
pub use self::error::ConfigError;
pub use self::group::{GroupConfig, GroupProtocol};
pub use self::kerberos::{
    ContextStep, Kerberos, KerberosConfig, KerberosCredentials, KerberosLibrary, SecurityContext,
};
pub use self::producer::{Acks, ProducerConfig};
pub use self::secret::{Callback, Provided, Provider, Secret, SecretSource};
pub use self::security::{
    ClientIdentity, Pem, SaslConfig, ScramHash, SecurityConfig, SecurityProtocol, TlsConfig,
    TlsVersion, Token, TokenSource,
};
pub use self::topic_partition::TopicPartition;
