//! The broker's thread: a runtime of its own, the listeners, and the tasks of their connections.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;
use std::{io, process};

use parking_lot::Mutex;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::background;
use crate::cluster::RunningCluster;
use crate::config::CheckedConfig;
use crate::connection::{Accepted, ClientConnection};
use crate::error::EmbeddedBrokerError;
use crate::nodes::{Alive, EmbeddedNode, NodeState};
use crate::security::listener::CheckedListener;
use crate::security::transport::ServerTransport;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
/// The pause of the accept loop when the process has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The time that stopping waits for the thread. Its tasks only ever await, so it ends within microseconds.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// Opens the listeners of every node, so that a port that is taken is an error of `start`.
pub(crate) fn listen(config: &CheckedConfig) -> Result<Vec<Vec<StdListener>>, EmbeddedBrokerError> {
    let of_node = |index: u16| {
        let listeners = config.listeners.iter();
        let open = |listener: &CheckedListener| {
            // Whether the ports fit was checked.
            let port = match listener.port {
                0 => 0,
                port => port.saturating_add(index),
            };
            listen_at(SocketAddr::new(config.user.bind, port))
        };
        listeners.map(open).collect()
    };
    (0..config.user.nodes).map(of_node).collect()
}

/// The addresses that listeners are bound to.
pub(crate) fn addresses(listeners: &[StdListener]) -> Result<Vec<SocketAddr>, EmbeddedBrokerError> {
    let addresses = listeners.iter().map(StdListener::local_addr);
    let addresses: io::Result<Vec<SocketAddr>> = addresses.collect();
    addresses.map_err(EmbeddedBrokerError::Thread)
}

pub(crate) fn listen_at(address: SocketAddr) -> Result<StdListener, EmbeddedBrokerError> {
    let open = || -> io::Result<StdListener> { listen_on(bind(address)?) };
    open().map_err(|source| EmbeddedBrokerError::Listen {
        address: address.to_string(),
        source,
    })
}

/// Takes a port without listening: connections to it are refused, and nobody else gets it.
pub(crate) fn bind(address: SocketAddr) -> io::Result<Socket> {
    let domain = Domain::for_address(address);
    let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
    // A broker that is started again on its port must not wait for the connections of the last one to time out.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

pub(crate) fn listen_on(socket: Socket) -> io::Result<StdListener> {
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

/// The running thread. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Server {
    /// None once the thread was told to stop. The lock is held while nothing is waited for.
    running: Mutex<Option<RunningServer>>,
    thread: ThreadId,
    handle: Handle,
    /// By node, a receiver that tells when all tasks of the node have ended. The lock is held for look-ups only.
    tasks: Mutex<HashMap<i32, mpsc::Receiver<()>>>,
    cluster: Arc<RunningCluster>,
    process: u32,
}

#[derive(Debug)]
struct RunningServer {
    stop: oneshot::Sender<()>,
    ended: mpsc::Receiver<()>,
    thread: JoinHandle<()>,
}

impl Server {
    pub(crate) fn start(
        cluster: Arc<RunningCluster>,
        listeners: Vec<Vec<StdListener>>,
    ) -> Result<Self, EmbeddedBrokerError> {
        let nodes = cluster.nodes.all();
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(EmbeddedBrokerError::Thread)?;
        let handle = runtime.handle().clone();
        let run = move || {
            // An error means that the handle is gone, which is as good as a word.
            let _ = runtime.block_on(stopped);
            // Ends every task and closes every socket.
            drop(runtime);
            let _ = end.send(());
        };
        let thread = thread::Builder::new()
            .name("kafkars-broker".to_owned())
            .spawn(run)
            .map_err(EmbeddedBrokerError::Thread)?;
        let server = Self {
            thread: thread.thread().id(),
            running: Mutex::new(Some(RunningServer {
                stop,
                ended,
                thread,
            })),
            handle,
            tasks: Mutex::new(HashMap::new()),
            cluster,
            process: process::id(),
        };
        server
            .handle
            .spawn(background::end_transactions(Arc::clone(&server.cluster)));
        if let Some(interval) = server.cluster.config.user.cleanup_interval {
            let cluster = Arc::clone(&server.cluster);
            server.handle.spawn(background::clean(cluster, interval));
        }
        for (node, listeners) in nodes.iter().zip(listeners) {
            server.start_node(node, listeners);
        }
        Ok(server)
    }

    /// Lets a node accept connections.
    pub(crate) fn start_node(&self, node: &Arc<EmbeddedNode>, listeners: Vec<StdListener>) {
        let (alive, all_gone) = mpsc::sync_channel(0);
        self.tasks.lock().insert(node.id, all_gone);
        for (index, listener) in listeners.into_iter().enumerate() {
            let acceptor = Acceptor {
                cluster: Arc::clone(&self.cluster),
                node: Arc::clone(node),
                listener: index,
                alive: alive.clone(),
            };
            self.handle.spawn(acceptor.run(listener));
        }
    }

    /// Waits until nothing of a node that was told to stop is left: its listener and its connections are closed.
    pub(crate) fn wait_for_end_of(&self, node: i32) -> Result<(), EmbeddedBrokerError> {
        let tasks = self.tasks.lock().remove(&node);
        // From the broker's own thread, as by an intercept's predicate, waiting would be for ever.
        if self.thread == thread::current().id() {
            return Ok(());
        }
        // Nobody ever sends: what ends the wait is that the last sender is gone.
        match tasks.map(|tasks| tasks.recv_timeout(STOP_LIMIT)) {
            Some(Err(mpsc::RecvTimeoutError::Timeout)) => {
                Err(EmbeddedBrokerError::Busy(STOP_LIMIT))
            }
            _ => Ok(()),
        }
    }

    /// Closes listeners and connections and ends the thread. Does nothing the second time.
    pub(crate) fn stop(&self) {
        let Some(running) = self.running.lock().take() else {
            return;
        };
        if self.process != process::id() {
            // The thread belongs to the process that this one was forked from, and so does what would wake it.
            std::mem::forget(running);
            return;
        }
        let _ = running.stop.send(());
        if self.thread == thread::current().id() {
            // Told by its own thread, which ends when it gets there.
            return;
        }
        match running.ended.recv_timeout(STOP_LIMIT) {
            Err(mpsc::RecvTimeoutError::Timeout) => {
                tracing::error!("the broker's thread does not end; it is left behind")
            }
            _ => drop(running.thread.join()),
        }
    }

    /// False in a process that was forked from the one with the thread.
    pub(crate) fn is_running(&self) -> bool {
        let running = self.running.lock();
        let alive = running
            .as_ref()
            .is_some_and(|running| !running.thread.is_finished());
        alive && self.process == process::id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A task that accepts the connections of one listener of a node.
struct Acceptor {
    cluster: Arc<RunningCluster>,
    node: Arc<EmbeddedNode>,
    /// The listener's place among all.
    listener: usize,
    alive: Alive,
}

impl Acceptor {
    async fn run(self, listener: StdListener) {
        let node = &self.node;
        let mut orders = node.orders();
        let listener = match TcpListener::from_std(listener) {
            Ok(listener) => listener,
            Err(error) => {
                tracing::error!(node = node.id, %error, "cannot use the listener");
                return;
            }
        };
        loop {
            let state = orders.borrow_and_update().state;
            if state == NodeState::Stopped {
                return;
            }
            let accepted = tokio::select! {
                accepted = listener.accept(), if state == NodeState::Running => accepted,
                changed = orders.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    continue;
                }
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer),
                Err(error) => {
                    // Most often there are too many open files: resting keeps the loop from spinning until one is
                    // closed.
                    tracing::warn!(node = node.id, %error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn take(&self, stream: TcpStream, peer: SocketAddr) {
        let (cluster, node) = (&self.cluster, &self.node);
        let pause_ms = cluster.quotas.admit(peer.ip(), cluster.now());
        if let Ok(pause_ms @ 1..) = u64::try_from(pause_ms) {
            tracing::debug!(node = node.id, %peer, "the address opens connections faster than its quota allows");
            let pause = Duration::from_millis(pause_ms);
            tokio::spawn(hold(stream, pause, Arc::clone(node)));
            return;
        }
        let id = cluster.next_connection();
        let tls = cluster.config.listeners.get(self.listener);
        let tls = tls.and_then(|listener| listener.tls.as_ref());
        let stream = stream
            .set_nodelay(true)
            .and_then(|()| ServerTransport::new(stream, tls));
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                tracing::debug!(node = node.id, %peer, %error, "the connection was gone when it was accepted");
                return;
            }
        };
        let accepted = Accepted {
            id,
            listener: self.listener,
            address: peer,
            stream,
        };
        let connection = ClientConnection::new(Arc::clone(cluster), Arc::clone(node), accepted);
        tokio::spawn(connection.run(self.alive.clone()));
    }
}

/// Holds a connection that is one too many, unanswered, and closes it after a while or with its node.
async fn hold(stream: TcpStream, pause: Duration, node: Arc<EmbeddedNode>) {
    let mut orders = node.orders();
    let stopped = async move {
        while orders.borrow_and_update().state != NodeState::Stopped {
            if orders.changed().await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = tokio::time::sleep(pause) => {}
        () = stopped => {}
    }
    drop(stream);
}
