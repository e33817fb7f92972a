//! The broker's thread: a runtime of its own, the listeners, and the tasks of their connections.

use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{io, process};

use parking_lot::Mutex;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::cluster::{Cluster, Node};
use crate::config::BrokerConfig;
use crate::connection::Connection;
use crate::error::BrokerError;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;
/// How long the accept loop rests when the process has no file descriptor left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long stopping waits for the thread. Its tasks only ever await, so it ends within microseconds.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// Opens the listener of every node, so that a port that is taken is an error of `start`.
pub(crate) fn listen(config: &BrokerConfig) -> Result<Vec<StdListener>, BrokerError> {
    let port = |index: u16| {
        if config.port == 0 {
            0
        } else {
            config.port + index
        }
    };
    (0..config.nodes)
        .map(|index| listen_at(SocketAddr::new(config.bind, port(index))))
        .collect()
}

fn listen_at(address: SocketAddr) -> Result<StdListener, BrokerError> {
    let open = || -> io::Result<StdListener> {
        let socket = Socket::new(
            Domain::for_address(address),
            Type::STREAM,
            Some(Protocol::TCP),
        )?;
        // A broker that is started again on its port must not wait for the connections of the last one to time out.
        #[cfg(unix)]
        socket.set_reuse_address(true)?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        Ok(socket.into())
    };
    open().map_err(|source| BrokerError::Listen {
        address: address.to_string(),
        source,
    })
}

/// The running thread. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Server {
    stop: Option<oneshot::Sender<()>>,
    /// Behind a lock only so that the handle can be shared between threads.
    ended: Mutex<mpsc::Receiver<()>>,
    thread: Option<JoinHandle<()>>,
    process: u32,
}

impl Server {
    pub(crate) fn start(
        cluster: Arc<Cluster>,
        listeners: Vec<StdListener>,
    ) -> Result<Self, BrokerError> {
        let (stop, stopped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(BrokerError::Thread)?;
        let run = move || {
            runtime.block_on(async move {
                for (node, listener) in cluster.nodes.iter().zip(listeners) {
                    tokio::spawn(accept(Arc::clone(&cluster), node.clone(), listener));
                }
                // An error means that the handle is gone, which is as good as a word.
                let _ = stopped.await;
            });
            // Ends every task and closes every socket.
            drop(runtime);
            let _ = end.send(());
        };
        let thread = thread::Builder::new()
            .name("kafkars-broker".to_owned())
            .spawn(run)
            .map_err(BrokerError::Thread)?;
        Ok(Self {
            stop: Some(stop),
            ended: Mutex::new(ended),
            thread: Some(thread),
            process: process::id(),
        })
    }

    /// Closes listeners and connections and ends the thread. Does nothing the second time.
    pub(crate) fn stop(&mut self) {
        let (Some(stop), Some(thread)) = (self.stop.take(), self.thread.take()) else {
            return;
        };
        if self.process != process::id() {
            // The thread belongs to the process that this one was forked from, and so does what would wake it.
            std::mem::forget(stop);
            return;
        }
        let _ = stop.send(());
        match self.ended.get_mut().recv_timeout(STOP_LIMIT) {
            Err(mpsc::RecvTimeoutError::Timeout) => {
                tracing::error!("the broker's thread does not end; it is left behind")
            }
            _ => drop(thread.join()),
        }
    }

    /// False in a process that was forked from the one with the thread.
    pub(crate) fn is_running(&self) -> bool {
        let here = self.process == process::id();
        here && self
            .thread
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn accept(cluster: Arc<Cluster>, node: Node, listener: StdListener) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => {
            tracing::error!(node = node.id, %error, "cannot use the listener");
            return;
        }
    };
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let id = cluster.next_connection();
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(node = node.id, %peer, %error, "the connection was gone when it was accepted");
                    continue;
                }
                tokio::spawn(
                    Connection::new(Arc::clone(&cluster), node.id, id, peer, stream).run(),
                );
            }
            Err(error) => {
                // Most often there are too many open files: resting keeps the loop from spinning until one is closed.
                tracing::warn!(node = node.id, %error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
