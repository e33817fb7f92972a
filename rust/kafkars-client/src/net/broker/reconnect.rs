//! When connecting may be tried again, and the stage of a try.

use std::time::Instant;

use crate::error::ConnectCause;
use crate::net::connection_kind::ConnectionKind;

/// When connecting to a broker may be tried again, for all kinds of connections.
#[derive(Debug)]
pub(super) struct ReconnectBackoff {
    pub(super) failures: u32,
    pub(super) attempted_at: Option<Instant>,
    pub(super) not_before: [Option<Instant>; ConnectionKind::COUNT],
    pub(super) last_cause: Option<ConnectCause>,
    pub(super) stage: ConnectStage,
    /// The version of ApiVersions to ask in; 0 after the broker closed the connection on a newer one.
    pub(super) api_versions_version: i16,
    /// True if, after a login was refused, other credentials were found than it had used.
    pub(super) has_others: bool,
}

/// The stage of the latest try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectStage {
    Idle,
    Pausing,
    Resolving,
    Connecting,
    Encrypting,
    Greeting,
    /// Credentials are read from a file, a function or Kerberos.
    Preparing,
    Authenticating,
}
