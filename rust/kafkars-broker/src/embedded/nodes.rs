//! The handle stops, starts, pauses and slows down nodes.

use std::net::SocketAddr;
use std::sync::Arc;

use super::EmbeddedBroker;
use crate::config::MAX_NODES;
use crate::control::link_shaper::LinkSettings;
use crate::error::EmbeddedBrokerError;
use crate::nodes::{CoordinatorType, EmbeddedNode, NodeState};
use crate::server;

impl EmbeddedBroker {
    /// Ids of its nodes, also of those that do not run.
    pub fn nodes(&self) -> Vec<i32> {
        let nodes = self.cluster.nodes.all();
        nodes.iter().map(|node| node.id).collect()
    }

    /// The address that one node listens at; nodes count from 1.
    pub fn address(&self, node: i32) -> Option<SocketAddr> {
        self.cluster.node(node).map(|node| node.endpoint(0).address)
    }

    /// The state of a node: running, paused or stopped.
    ///
    /// # Errors
    /// When there is no such node, or the broker is stopped.
    pub fn node_state(&self, node: i32) -> Result<NodeState, EmbeddedBrokerError> {
        Ok(self.live(node)?.state())
    }

    /// Stops a node as a controlled shutdown does: its leaderships and coordinators move, then its port and its
    /// connections are closed. Its port stays reserved. Does nothing to a node that is stopped.
    ///
    /// # Errors
    /// When there is no such node, the broker is stopped, or its thread is kept busy.
    pub fn stop_node(&self, node: i32) -> Result<(), EmbeddedBrokerError> {
        let node = self.live(node)?;
        self.cluster.fence(&node);
        self.take_down(&node)
    }

    /// Takes a node down without the controller noticing: its port and its connections are closed, and it still leads
    /// what it led, until [`fence_node`](Self::fence_node).
    ///
    /// # Errors
    /// As [`stop_node`](Self::stop_node).
    pub fn kill_node(&self, node: i32) -> Result<(), EmbeddedBrokerError> {
        let node = self.live(node)?;
        self.take_down(&node)
    }

    /// Starts a stopped node on the port it had, or lets a paused one go on. It is in sync at once, and leads what
    /// nobody else could lead meanwhile. Does nothing to a node that runs and was not given up.
    ///
    /// # Errors
    /// When there is no such node, the port cannot be opened, or the broker is stopped.
    pub fn start_node(&self, node: i32) -> Result<(), EmbeddedBrokerError> {
        let node = self.live(node)?;
        let before = node.state();
        if before == NodeState::Stopped {
            let reserved = self.reserved.lock().remove(&node.id);
            let mut reserved = reserved.unwrap_or_default().into_iter();
            let listeners = node.addresses().map(|address| match reserved.next() {
                Some(socket) => {
                    server::listen_on(socket).map_err(|source| EmbeddedBrokerError::Listen {
                        address: address.to_string(),
                        source,
                    })
                }
                None => server::listen_at(address),
            });
            let listeners = listeners.collect::<Result<Vec<_>, _>>()?;
            node.order(NodeState::Running);
            self.cluster.state().loggers.reset(node.id);
            self.server.start_node(&node, listeners);
        }
        self.cluster.unfence(&node);
        node.order(NodeState::Running);
        Ok(())
    }

    /// Stops a node and starts it again: its connections end, and its leaderships are on other nodes.
    ///
    /// # Errors
    /// As [`stop_node`](Self::stop_node) and [`start_node`](Self::start_node).
    pub fn restart_node(&self, node: i32) -> Result<(), EmbeddedBrokerError> {
        self.stop_node(node)?;
        self.start_node(node)
    }

    /// Halts a node: it accepts nothing and answers nothing, and its connections stay open. It keeps its leaderships
    /// until [`fence_node`](Self::fence_node). Does nothing to a node that is stopped.
    ///
    /// # Errors
    /// When there is no such node, or the broker is stopped.
    pub fn pause_node(&self, node: i32) -> Result<(), EmbeddedBrokerError> {
        let node = self.live(node)?;
        if node.state() == NodeState::Running {
            node.order(NodeState::Paused);
        }
        Ok(())
    }

    /// The controller gives a node up, as when its session times out: leaders and coordinators move, whatever the node
    /// itself does. It is taken back by [`start_node`](Self::start_node).
    ///
    /// # Errors
    /// When there is no such node, or the broker is stopped.
    pub fn fence_node(&self, node: i32) -> Result<(), EmbeddedBrokerError> {
        let node = self.live(node)?;
        self.cluster.fence(&node);
        Ok(())
    }

    /// Adds a node and returns its id. It leads nothing until topics are created, leaders are moved, or nodes stop.
    ///
    /// # Errors
    /// When there are [`MAX_NODES`] already, no port can be opened, or the broker is stopped.
    pub fn add_node(&self) -> Result<i32, EmbeddedBrokerError> {
        let cluster = self.running()?;
        if self.nodes().len() >= usize::from(MAX_NODES) {
            return Err(EmbeddedBrokerError::TooManyNodes(MAX_NODES));
        }
        let user = &cluster.config.user;
        let free = SocketAddr::new(user.bind, 0);
        let listeners = cluster.config.listeners.iter();
        let listeners = listeners.map(|_| server::listen_at(free));
        let listeners = listeners.collect::<Result<Vec<_>, _>>()?;
        let addresses = server::addresses(&listeners)?;
        let (first, others) = addresses.split_first().unwrap_or((&free, &[]));
        let node = cluster
            .nodes
            .add(|id| EmbeddedNode::new(id, *first, others, user));
        self.server.start_node(&node, listeners);
        Ok(node.id)
    }

    /// Closes every connection of one node, or of all; the nodes go on.
    ///
    /// # Errors
    /// When there is no such node, or the broker is stopped.
    pub fn cut_connections(&self, node: Option<i32>) -> Result<(), EmbeddedBrokerError> {
        let nodes = self.one_or_all(node)?;
        nodes.iter().for_each(|node| node.cut_connections());
        Ok(())
    }

    /// Slows the traffic of one node down, or of all; the default settings end that.
    ///
    /// # Errors
    /// When there is no such node, or the broker is stopped.
    pub fn set_link(
        &self,
        node: Option<i32>,
        link: LinkSettings,
    ) -> Result<(), EmbeddedBrokerError> {
        let nodes = self.one_or_all(node)?;
        nodes.iter().for_each(|node| node.link.set(link));
        Ok(())
    }

    /// The node that coordinates a group, a transactional id or a share group; none while all nodes are down.
    ///
    /// # Errors
    /// When the broker is stopped.
    pub fn coordinator(
        &self,
        kind: CoordinatorType,
        key: &str,
    ) -> Result<Option<i32>, EmbeddedBrokerError> {
        let found = self.running()?.coordinator(kind, key);
        Ok(found.map(|node| node.id))
    }

    /// Gives what is coordinated under `key` to another node, which answers for it as long as it lives.
    ///
    /// # Errors
    /// When there is no such node or it is down, or the broker is stopped.
    pub fn move_coordinator(
        &self,
        kind: CoordinatorType,
        key: &str,
        node: i32,
    ) -> Result<(), EmbeddedBrokerError> {
        let node = self.live(node)?;
        if node.is_fenced() {
            return Err(EmbeddedBrokerError::NodeDown(node.id));
        }
        let cluster = &self.cluster;
        cluster.move_coordinators(&mut cluster.state(), || {
            cluster.nodes.move_coordinator(kind, key, node.id);
        });
        Ok(())
    }

    fn take_down(&self, node: &EmbeddedNode) -> Result<(), EmbeddedBrokerError> {
        if node.state() == NodeState::Stopped {
            return Ok(());
        }
        node.order(NodeState::Stopped);
        self.server.wait_for_end_of(node.id)?;
        // Without it the node might find its port taken when it comes back. Who cannot have it goes without.
        let sockets = node.addresses().map(server::bind);
        if let Ok(sockets) = sockets.collect::<Result<Vec<_>, _>>() {
            self.reserved.lock().insert(node.id, sockets);
        }
        Ok(())
    }

    fn one_or_all(&self, node: Option<i32>) -> Result<Vec<Arc<EmbeddedNode>>, EmbeddedBrokerError> {
        match node {
            Some(node) => Ok(vec![self.live(node)?]),
            None => Ok(self.running()?.nodes.all()),
        }
    }

    pub(crate) fn live(&self, node: i32) -> Result<Arc<EmbeddedNode>, EmbeddedBrokerError> {
        let found = self.running()?.node(node);
        found.ok_or(EmbeddedBrokerError::UnknownNode(node))
    }
}
