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
    pub(super) fn is_connected(&self) -> bool {
        self.connection
            .as_ref()
            .is_some_and(|connection| !connection.is_closed())
    }
}
