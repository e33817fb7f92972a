//! The cluster that all nodes share: the nodes, their common state, and the directory that keeps it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use crate::clock::Clock;
use crate::config::CheckedConfig;
use crate::control::Control;
use crate::error::EmbeddedBrokerError;
use crate::nodes::{CoordinatorType, EmbeddedNode, Nodes};
use crate::quotas::Quotas;
use crate::security::acl::Authorizer;
use crate::security::users::Passwords;
use crate::state::ClusterState;
use crate::storage::restore::restore;
use crate::storage::{Snapshot, Storage};

/// One cluster, shared by the connections of all its nodes and by the handle that steers it.
#[derive(Debug)]
pub(crate) struct RunningCluster {
    pub(crate) config: CheckedConfig,
    /// The cluster's id, as `Metadata` tells it.
    pub(crate) id: String,
    pub(crate) nodes: Nodes,
    pub(crate) control: Control,
    /// All time-outs go by this clock.
    pub(crate) clock: Clock,
    /// The quotas have a lock of their own, which may be taken while the state is locked.
    pub(crate) quotas: Arc<Quotas>,
    /// None in a cluster without access control. It has a lock of its own, which may be taken while the state is
    /// locked.
    pub(crate) authorizer: Option<Arc<Authorizer>>,
    /// The passwords have a lock of their own, held for one look-up, which may be taken while the state is locked.
    pub(crate) passwords: Passwords,
    connections: AtomicU64,
    /// The directory that keeps everything but records across restarts, if there is one. Locked under the state only.
    storage: Mutex<Option<Storage>>,
    state: Mutex<ClusterState>,
}

impl RunningCluster {
    pub(crate) fn new(id: String, config: CheckedConfig, addresses: &[Vec<SocketAddr>]) -> Self {
        let user = &config.user;
        let quotas = Arc::new(Quotas::default());
        let authorizer = user.acls.as_ref().map(Authorizer::new).map(Arc::new);
        let state = ClusterState::new(&config, &quotas, &authorizer);
        let control = Control::new(user.requests_recorded);
        let clock = Clock::new(user.clock);
        Self {
            id,
            nodes: Nodes::new(user, addresses),
            control,
            clock,
            quotas,
            authorizer,
            passwords: Passwords::default(),
            connections: AtomicU64::new(0),
            storage: Mutex::new(None),
            state: Mutex::new(state),
            config,
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, ClusterState> {
        self.state.lock()
    }

    /// The number of a connection that has just been accepted.
    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn node(&self, id: i32) -> Option<Arc<EmbeddedNode>> {
        self.nodes.node(id)
    }

    /// The node that says it is the controller. Every node carries out what only a controller may, so it is a matter of
    /// form.
    pub(crate) fn controller(&self) -> i32 {
        self.nodes.alive().first().map_or(-1, |node| node.id)
    }

    /// The node that coordinates a group, a transactional id or a share group; none while there is no node that could.
    ///
    /// Takes no lock of the cluster's state, so that it may be asked while that is held.
    pub(crate) fn coordinator(
        &self,
        kind: CoordinatorType,
        key: &str,
    ) -> Option<Arc<EmbeddedNode>> {
        self.nodes.coordinator(kind, key)
    }

    /// True if `node` coordinates `key`; a request that comes elsewhere is answered NOT_COORDINATOR.
    pub(crate) fn coordinates(&self, node: i32, kind: CoordinatorType, key: &str) -> bool {
        self.coordinator(kind, key)
            .is_some_and(|found| found.id == node)
    }

    /// Milliseconds since 1970: the one clock behind timestamps.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Takes over what a directory holds, and keeps changes there from now on.
    pub(crate) fn restore(
        &self,
        mut storage: Storage,
        snapshot: Option<Snapshot>,
    ) -> Result<(), EmbeddedBrokerError> {
        let mut state = self.state();
        restore(&mut state, &self.nodes, &mut storage, snapshot, self.now())?;
        *self.storage.lock() = Some(storage);
        Ok(())
    }

    /// Writes what has changed to the directory, where there is one. Called before an answer says that it has changed.
    pub(crate) fn save(&self, state: &mut ClusterState) -> io::Result<()> {
        match &mut *self.storage.lock() {
            Some(storage) => storage.save(state),
            None => Ok(()),
        }
    }

    /// Writes what has changed to the directory, where nothing but commits and the progress of share groups has.
    pub(crate) fn save_commits(&self, state: &mut ClusterState) -> io::Result<()> {
        match &mut *self.storage.lock() {
            Some(storage) => storage.save_commits(state),
            None => Ok(()),
        }
    }

    /// Lets go of the directory, so that another broker may use it.
    pub(crate) fn close_storage(&self, state: &mut ClusterState) {
        state.logs = None;
        *self.storage.lock() = None;
    }
}
