//! How often connecting may be tried, and how far a try has come.

use std::time::Instant;

use crate::error::ConnectCause;
use crate::net::connection_kind::ConnectionKind;

/// How often connecting may be tried, whichever kind of connection wants it.
#[derive(Debug)]
pub(super) struct ReconnectBackoff {
    pub(super) failures: u32,
    pub(super) attempted_at: Option<Instant>,
    pub(super) not_before: [Option<Instant>; ConnectionKind::COUNT],
    pub(super) last_cause: Option<ConnectCause>,
    pub(super) stage: ConnectStage,
    /// Lower after the broker hung up on a newer one.
    pub(super) api_versions_version: i16,
    /// Whether other credentials were given after a login was refused than it was made with.
    pub(super) has_others: bool,
}

/// How far the latest try has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectStage {
    Idle,
    Pausing,
    Resolving,
    Connecting,
    Encrypting,
    Greeting,
    /// A file, a function or Kerberos is asked for credentials.
    Preparing,
    Authenticating,
}
