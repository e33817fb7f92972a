//! The broker's security: TLS, logins by SASL, and access control lists.

pub(crate) mod acl;
pub(crate) mod hash;
pub(crate) mod listener;
pub(crate) mod sasl;
pub(crate) mod session;
mod tls;
pub(crate) mod transport;
pub(crate) mod users;

pub use acl::{Acl, AclOperation, AclSettings, PatternType, Permission, ResourceType};
pub use kafkars_protocol::SecurityProtocol;
pub use listener::ListenerConfig;
pub use sasl::SaslMechanism;
pub use tls::{ClientAuth, TlsSettings};
pub use users::User;
