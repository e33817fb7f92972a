//! What applications hold to administer a cluster; each file of this folder adds the calls on one kind of thing.

use crate::client::Client;

/// Asks a cluster about itself and changes it. Clones share the client.
#[derive(Debug, Clone)]
pub struct Admin {
    pub(super) client: Client,
}

impl Admin {
    /// An administrator of the client's cluster. Does no I/O.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client underneath.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }
}
