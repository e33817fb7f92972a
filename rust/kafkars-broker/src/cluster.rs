//! The cluster that all nodes share: who the nodes are, what they share, and where that is kept.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, MutexGuard};

use crate::clock::Clock;
use crate::config::CheckedConfig;
use crate::control::Control;
use crate::error::BrokerError;
use crate::nodes::{CoordinatorKind, Node, Nodes};
use crate::quotas::Quotas;
use crate::security::acl::Authorizer;
use crate::security::users::Passwords;
use crate::state::State;
use crate::storage::{self, Snapshot, Storage};

/// One cluster, shared by the connections of all its nodes and by the handle that steers it.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) config: CheckedConfig,
    /// Its id, as `Metadata` tells it.
    pub(crate) id: String,
    pub(crate) nodes: Nodes,
    pub(crate) control: Control,
    /// What all time-outs go by.
    pub(crate) clock: Clock,
    /// Locks for itself; may be asked while the state is locked.
    pub(crate) quotas: Arc<Quotas>,
    /// Who may do what; none in a cluster without access control. May be asked while the state is locked.
    pub(crate) authorizer: Option<Arc<Authorizer>>,
    /// Locks for itself, for one look-up; may be asked while the state is locked.
    pub(crate) passwords: Passwords,
    connections: AtomicU64,
    /// Where everything but records is kept across restarts, if it is. Locked under the state only.
    storage: Mutex<Option<Storage>>,
    state: Mutex<State>,
}

impl Cluster {
    pub(crate) fn new(id: String, config: CheckedConfig, addresses: &[Vec<SocketAddr>]) -> Self {
        let user = &config.user;
        let quotas = Arc::new(Quotas::default());
        let authorizer = user.acls.as_ref().map(Authorizer::new).map(Arc::new);
        let state = State::new(&config, &quotas, &authorizer);
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

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The number of a connection that has just been accepted.
    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn node(&self, id: i32) -> Option<Arc<Node>> {
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
    pub(crate) fn coordinator(&self, kind: CoordinatorKind, key: &str) -> Option<Arc<Node>> {
        self.nodes.coordinator(kind, key)
    }

    /// Whether `node` coordinates `key`; a request that comes elsewhere is answered NOT_COORDINATOR.
    pub(crate) fn coordinates(&self, node: i32, kind: CoordinatorKind, key: &str) -> bool {
        self.coordinator(kind, key)
            .is_some_and(|found| found.id == node)
    }

    /// Milliseconds since 1970: the one clock behind timestamps.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Becomes what a directory holds, and keeps there from now on what changes.
    pub(crate) fn restore(
        &self,
        mut storage: Storage,
        snapshot: Option<Snapshot>,
    ) -> Result<(), BrokerError> {
        let mut state = self.state();
        storage::restore(&mut state, &self.nodes, &mut storage, snapshot, self.now())?;
        *self.storage.lock() = Some(storage);
        Ok(())
    }

    /// Keeps what has changed, where there is a directory. Called before an answer says that it has.
    pub(crate) fn save(&self, state: &mut State) -> io::Result<()> {
        match &mut *self.storage.lock() {
            Some(storage) => storage.save(state),
            None => Ok(()),
        }
    }

    /// Keeps what has changed, where nothing but commits and the progress of share groups has.
    pub(crate) fn save_commits(&self, state: &mut State) -> io::Result<()> {
        match &mut *self.storage.lock() {
            Some(storage) => storage.save_commits(state),
            None => Ok(()),
        }
    }

    /// Leaves the directory to others.
    pub(crate) fn close_storage(&self, state: &mut State) {
        state.logs = None;
        *self.storage.lock() = None;
    }
}
