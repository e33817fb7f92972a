//! Settings of GSSAPI (Kerberos), and the interface of the system's Kerberos library.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The system's Kerberos library. It stands outside of the engine, because calling C takes `unsafe` code.
///
/// Its functions may block for long: they ask key distribution centres and name services.
pub trait KerberosLibrary: Send + Sync {
    /// Begins to authenticate to `service`, such as "kafka@broker.example.com".
    ///
    /// # Errors
    /// A text that says why there are no credentials.
    fn initiate(
        &self,
        service: &str,
        credentials: &KerberosCredentials,
    ) -> Result<Box<dyn SecurityContext>, Arc<str>>;
}

/// One exchange with one service (RFC 2743). The errors are the library's messages.
pub trait SecurityContext: Send {
    /// Takes the service's token, `None` at the beginning, and makes the next token for the service.
    ///
    /// # Errors
    /// Why there is none: no ticket, an unknown service, a token that proves nothing.
    fn step(&mut self, token: Option<&[u8]>) -> Result<ContextStep, Arc<str>>;

    /// Protects a message to the service against changes.
    ///
    /// # Errors
    /// The context does not protect.
    fn wrap(&mut self, message: &[u8]) -> Result<Vec<u8>, Arc<str>>;

    /// Opens a protected message of the service.
    ///
    /// # Errors
    /// The message is not what the service has protected.
    fn unwrap(&mut self, message: &[u8]) -> Result<Vec<u8>, Arc<str>>;
}

/// What one step of a context came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextStep {
    /// What is sent to the service; empty for nothing.
    pub token: Vec<u8>,
    /// True if both sides have proved themselves.
    pub is_established: bool,
}

/// A shared library. Two are equal if they are the same one.
#[derive(Clone)]
pub struct Kerberos(pub Arc<dyn KerberosLibrary>);

impl fmt::Debug for Kerberos {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a library")
    }
}

impl PartialEq for Kerberos {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Kerberos {}

/// What GSSAPI needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KerberosConfig {
    /// The system's library.
    pub library: Kerberos,
    /// The first part of the brokers' principal, mostly "kafka".
    pub service_name: String,
    /// The host in the brokers' principal; that of each broker's address when `None`.
    pub domain_name: Option<String>,
    /// Where tickets come from.
    pub credentials: KerberosCredentials,
}

/// Where tickets come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KerberosCredentials {
    /// The client's principal; the owner of the tickets, or the first in the keytab, when `None`.
    pub principal: Option<String>,
    /// A file with keys, from which tickets are got.
    pub keytab: Option<PathBuf>,
    /// A cache with tickets, as Kerberos names it; the system's default when `None`.
    pub ccache: Option<String>,
}
