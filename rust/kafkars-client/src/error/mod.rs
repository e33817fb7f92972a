//! Errors of talking to a cluster: of one try on one connection, of bootstrapping, of a call of the client.
//!
//! Errors are cheap to clone, because one lost connection fails every request on it.

mod attempt;
mod bootstrap;
mod client;
mod connect;

pub use self::attempt::AttemptError;
pub use self::bootstrap::{BootstrapCause, BootstrapCauses};
pub use self::client::ClientError;
pub use self::connect::ConnectCause;
pub use crate::net::sasl::failure::SaslFailure;
pub use crate::net::tls::failure::TlsFailure;
pub use crate::net::unanswered::Unanswered;
