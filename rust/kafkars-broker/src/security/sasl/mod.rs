//! Logins by SASL: the mechanisms, each a state machine without I/O, and what they have in common.

mod exchange;
mod login;
mod mechanism;
mod oauthbearer;
mod plain;
mod sasl_name;
mod scram;
pub(crate) mod session;

pub(crate) use login::Directory;
pub use mechanism::SaslMechanism;
