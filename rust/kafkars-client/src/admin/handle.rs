//! The handle with which applications administer a cluster; each file of this folder adds the calls on one kind of
//! resource.

use crate::client::Client;

/// Describes and changes a cluster. Clones share the client.
#[derive(Debug, Clone)]
pub struct Admin {
    pub(super) client: Client,
}

impl Admin {
    /// Makes an admin client of the client's cluster. Does no I/O.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// The client underneath, which knows the cluster and its brokers.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }
}
