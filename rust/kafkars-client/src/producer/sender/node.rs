//! One broker as the sender sees it.

use std::time::Instant;

use crate::net::Connection;

/// Its connection, or the state of getting one.
#[derive(Default)]
pub(super) struct Node {
    pub(super) connection: Option<Connection>,
    pub(super) connecting: bool,
    // After failed connection attempts: which there were, and until when none is made.
    pub(super) failures: u32,
    pub(super) not_before: Option<Instant>,
}

impl Node {
    /// Whether a request would leave at once. During a pause that the broker asked for batches stay where they are,
    /// where their time runs on.
    pub(super) fn is_connected(&self) -> bool {
        self.open()
            .is_some_and(|connection| connection.muted_until().is_none())
    }

    /// The end of such a pause.
    pub(super) fn muted_until(&self) -> Option<Instant> {
        self.open()?.muted_until()
    }

    fn open(&self) -> Option<&Connection> {
        self.connection
            .as_ref()
            .filter(|connection| !connection.is_closed())
    }
}
