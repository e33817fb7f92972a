//! A broker as the sender sees it.

use std::time::Instant;

use crate::net::Connection;

/// The connection to a broker, or the state of making one.
#[derive(Default)]
pub(super) struct Node {
    pub(super) connection: Option<Connection>,
    pub(super) connecting: bool,
    // Failed tries to connect in a row, and when the next may be made.
    pub(super) failures: u32,
    pub(super) not_before: Option<Instant>,
}

impl Node {
    /// True if a request would be sent at once. During a pause that the broker asked for batches stay in their buffer,
    /// where their delivery timeout runs on.
    pub(super) fn is_connected(&self) -> bool {
        self.open()
            .is_some_and(|connection| connection.muted_until().is_none())
    }

    /// The end of a pause that the broker asked for.
    pub(super) fn muted_until(&self) -> Option<Instant> {
        self.open()?.muted_until()
    }

    fn open(&self) -> Option<&Connection> {
        self.connection
            .as_ref()
            .filter(|connection| !connection.is_closed())
    }
}
