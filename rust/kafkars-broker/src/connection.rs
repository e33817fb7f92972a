//! One client's socket: requests in, answers out, in order.
//!
//! A connection's requests are handled one after the other, as Kafka does it, so a long poll delays what was pipelined
//! behind it but nothing on other connections.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use kafkars_protocol::{FrameLimit, LENGTH_PREFIX};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use crate::cluster::RunningCluster;
use crate::control::link_shaper::Direction;
use crate::handlers::Peer;
use crate::handlers::dispatch::dispatch;
use crate::handlers::outcome::{ConnectionEnd, HandlerOutcome, Later};
use crate::nodes::Alive;
use crate::nodes::{EmbeddedNode, NodeState, Orders};
use crate::security::sasl::session::DELAY_OF_FAILURE;
use crate::security::session::LoginSession;
use crate::security::transport::ServerTransport;
use crate::slow_writer::SlowWriter;

/// First buffer of a connection that says something; one that does not costs none.
const READ_BUFFER: usize = 64 * 1024;
/// A frame up to this length is given its room at once. Beyond, room grows with what has really arrived, so that
/// announcing a huge frame costs its sender as much as it costs us.
const TRUSTED_LENGTH: usize = 1024 * 1024;
/// Answers are collected up to this size while further requests are already here.
const WRITE_BUFFER: usize = 64 * 1024;
/// Requests that are read while a long poll waits, to notice when the client goes away.
const READ_AHEAD: usize = 256 * 1024;
/// Largest request before a login (`sasl.server.max.receive.size`).
const LARGEST_BEFORE_LOGIN: usize = 512 * 1024;
/// Segments given to one system call.
const SLICES: usize = 64;

/// A socket with what has been read from it and what waits to be written to it.
#[derive(Debug)]
pub(crate) struct ClientConnection {
    peer: Peer,
    node: Arc<EmbeddedNode>,
    orders: watch::Receiver<Orders>,
    address: SocketAddr,
    stream: Arc<ServerTransport>,
    /// Takes the answers instead of the socket, once the node's link has been slowed down.
    slow: Option<SlowWriter>,
    incoming: BytesMut,
    outgoing: VecDeque<Bytes>,
    outgoing_size: usize,
    /// Bytes that were read and that a slow link has not yet taken time for.
    unpaid: usize,
}

/// A connection that has just been accepted.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) id: u64,
    /// The listener's place among all.
    pub(crate) listener: usize,
    pub(crate) address: SocketAddr,
    pub(crate) stream: ServerTransport,
}

impl ClientConnection {
    pub(crate) fn new(
        cluster: Arc<RunningCluster>,
        node: Arc<EmbeddedNode>,
        accepted: Accepted,
    ) -> Self {
        let Accepted {
            id,
            listener,
            address,
            stream,
        } = accepted;
        let peer = Peer {
            cluster,
            node: node.id,
            listener,
            session: None,
            user: None,
            connection: id,
            address: address.ip(),
            client_id: None,
        };
        Self {
            peer,
            orders: node.orders(),
            node,
            address,
            stream: Arc::new(stream),
            slow: None,
            unpaid: 0,
            incoming: BytesMut::new(),
            outgoing: VecDeque::new(),
            outgoing_size: 0,
        }
    }

    /// Serves the client until either side ends it. `_alive` tells the node when this connection is gone.
    pub(crate) async fn run(mut self, _alive: Alive) {
        let ordered_to_end = self.node.connections_end();
        let end = tokio::select! {
            biased;
            end = self.serve() => match end {
                Ok(never) => match never {},
                Err(end) => end,
            },
            () = ordered_to_end => ConnectionEnd::Ordered,
        };
        let (node, connection, address) = (self.peer.node, self.peer.connection, self.address);
        self.stream.close();
        self.peer.cluster.state().close_share_sessions(connection);
        match end {
            ConnectionEnd::Frame(_)
            | ConnectionEnd::Garbage(_)
            | ConnectionEnd::Handshake(_)
            | ConnectionEnd::Stalled
            | ConnectionEnd::Refused => {
                tracing::info!(node, connection, %address, %end, "closed a connection")
            }
            ConnectionEnd::Unanswerable(_) => {
                tracing::error!(node, connection, %address, %end, "closed a connection")
            }
            _ => tracing::debug!(node, connection, %address, %end, "a connection ended"),
        }
    }

    async fn serve(&mut self) -> Result<Infallible, ConnectionEnd> {
        if self.stream.is_tls() {
            self.while_paused().await;
            let limit = self.peer.cluster.config.user.login_timeout;
            let shaken = timeout(limit, self.stream.handshake()).await;
            let shaken = shaken
                .map_err(|_| ConnectionEnd::Stalled)?
                .map_err(ConnectionEnd::Handshake)?;
            self.begin_session(shaken);
        } else {
            self.begin_session(None);
        }
        if self.peer.session.is_some() {
            self.log_in().await?;
        }
        let limit = FrameLimit::new(self.peer.cluster.config.user.request_max_bytes);
        loop {
            self.serve_one(limit).await?;
            // A client that never stops sending must not keep the others from their turn.
            tokio::task::consume_budget().await;
        }
    }

    /// Begins the session of the client, where its listener asks who the client is.
    fn begin_session(&mut self, certificate: Option<String>) {
        let listeners = &self.peer.cluster.config.listeners;
        let listener = listeners.get(self.peer.listener);
        self.peer.session =
            listener.and_then(|listener| LoginSession::begin(listener, certificate));
    }

    /// Serves the requests of a login, for as long as that may take. A client that has none to do is through at once.
    async fn log_in(&mut self) -> Result<(), ConnectionEnd> {
        let user = &self.peer.cluster.config.user;
        let limit = FrameLimit::new(user.request_max_bytes.min(LARGEST_BEFORE_LOGIN));
        let deadline = Instant::now() + user.login_timeout;
        while self
            .peer
            .session
            .as_ref()
            .is_some_and(|session| session.is_waiting())
        {
            let served = timeout_at(deadline, self.serve_one(limit)).await;
            served.map_err(|_| ConnectionEnd::Stalled)??;
        }
        Ok(())
    }

    /// Answers a message of a mechanism after version 0 of the handshake: neither the message nor its answer has a
    /// header.
    async fn take_bare_message(&mut self, message: &Bytes) -> Result<(), ConnectionEnd> {
        match self.peer.authenticate(message) {
            Some(Ok(step)) => {
                let length = u32::try_from(step.answer.len()).unwrap_or(0);
                let prefix = Bytes::copy_from_slice(&length.to_be_bytes());
                self.collect(vec![prefix, step.answer]).await
            }
            _ => {
                tokio::time::sleep(DELAY_OF_FAILURE).await;
                Err(ConnectionEnd::Refused)
            }
        }
    }

    /// Waits for a request and answers it.
    async fn serve_one(&mut self, limit: FrameLimit) -> Result<(), ConnectionEnd> {
        let length = self.wait_for_frame(limit).await?;
        self.while_paused().await;
        self.incoming.advance(LENGTH_PREFIX);
        let frame = self.incoming.split_to(length).freeze();
        if let Some(session) = &self.peer.session
            && session.expects_bare_message()
        {
            return self.take_bare_message(&frame).await;
        }
        let mut outcome = dispatch(&self.peer, frame)?;
        if let HandlerOutcome::Later(later) = outcome {
            self.flush().await?;
            outcome = self.wait_beside_reading(later).await?;
        }
        self.while_paused().await;
        match outcome {
            HandlerOutcome::Reply(frame) => self.collect(frame.into_segments()).await?,
            HandlerOutcome::Throttled { frame, pause_ms } => {
                let until = self.peer.cluster.now().saturating_add(i64::from(pause_ms));
                if let Some(frame) = frame {
                    self.collect(frame.into_segments()).await?;
                }
                self.flush().await?;
                self.rest_until(until).await?;
            }
            HandlerOutcome::Damaged { segments, cut } => {
                self.collect(segments).await?;
                if cut {
                    self.flush().await?;
                    return Err(ConnectionEnd::Cut);
                }
            }
            HandlerOutcome::Silence => {}
            // A late answer is never late again.
            HandlerOutcome::Disconnect | HandlerOutcome::Later(_) => {
                self.flush().await?;
                return Err(ConnectionEnd::Cut);
            }
        }
        if let Some(session) = &self.peer.session
            && session.is_refused()
        {
            self.flush().await?;
            return Err(ConnectionEnd::Refused);
        }
        Ok(())
    }

    /// Waits until a whole frame is in the buffer and gives its length, the prefix not counted.
    async fn wait_for_frame(&mut self, limit: FrameLimit) -> Result<usize, ConnectionEnd> {
        loop {
            let mut needed = LENGTH_PREFIX;
            if let Some(prefix) = self.incoming.first_chunk::<LENGTH_PREFIX>() {
                let length = limit.parse(*prefix).map_err(ConnectionEnd::Frame)?;
                needed = LENGTH_PREFIX + length;
                if self.incoming.len() >= needed {
                    return Ok(length);
                }
            }
            // Nothing more to handle: the client gets its answers before it is waited for.
            self.flush().await?;
            self.read_more(needed).await?;
        }
    }

    /// Reads once, with room for a frame of `length` bytes as far as that is trusted.
    async fn read_more(&mut self, length: usize) -> Result<(), ConnectionEnd> {
        let idle = self.peer.cluster.config.user.connections_max_idle;
        if self.incoming.is_empty() {
            if self.incoming.capacity() > 0 && self.try_read()? {
                self.take_time_to_read().await;
                return Ok(());
            }
            // An idle connection holds no buffer: it is made when there is something to put into it.
            self.incoming = BytesMut::new();
            within(idle, self.stream.readable()).await?;
        }
        let trusted = TRUSTED_LENGTH.max(self.incoming.len() * 2);
        let wanted = length.min(trusted).max(READ_BUFFER);
        self.make_room(wanted);
        while !self.try_read()? {
            within(idle, self.stream.readable()).await?;
        }
        self.take_time_to_read().await;
        Ok(())
    }

    /// Waits as long as a slow link needs for what has been read.
    async fn take_time_to_read(&mut self) {
        let count = std::mem::take(&mut self.unpaid);
        if self.node.link.is_shaped() {
            self.node.link.carry(Direction::In, count).await;
        }
    }

    /// Makes the buffer hold `wanted` bytes in all.
    ///
    /// A buffer that cannot be used again is replaced: growing it in place would copy, and so make resident, all that
    /// it could hold instead of the few bytes that are in it.
    fn make_room(&mut self, wanted: usize) {
        let additional = wanted.saturating_sub(self.incoming.len());
        if !self.incoming.try_reclaim(additional) {
            let mut larger = BytesMut::with_capacity(wanted);
            larger.extend_from_slice(&self.incoming);
            self.incoming = larger;
        }
    }

    /// Takes what the socket has, without waiting; false when that is nothing.
    fn try_read(&mut self) -> Result<bool, ConnectionEnd> {
        match self.stream.try_read_buf(&mut self.incoming) {
            Ok(0) => Err(ConnectionEnd::Closed),
            Ok(count) => {
                self.unpaid += count;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(ConnectionEnd::Io(error)),
        }
    }

    /// Waits for a late answer; a client that goes away meanwhile ends the wait.
    async fn wait_beside_reading(
        &mut self,
        mut later: Later,
    ) -> Result<HandlerOutcome, ConnectionEnd> {
        loop {
            let read_ahead = self.incoming.len() < READ_AHEAD;
            tokio::select! {
                biased;
                outcome = &mut later => return outcome,
                ready = self.stream.readable(), if read_ahead => {
                    ready.map_err(ConnectionEnd::Io)?;
                    if self.incoming.capacity() == self.incoming.len() {
                        self.make_room(self.incoming.len() + READ_BUFFER);
                    }
                    self.try_read()?;
                }
            }
        }
    }

    /// Handles nothing of this client until a time, because it has used more than its quota (KIP-219).
    async fn rest_until(&mut self, until: i64) -> Result<(), ConnectionEnd> {
        let cluster = Arc::clone(&self.peer.cluster);
        let rest = async move {
            cluster.clock.until_or_elapsed(until).await;
            Ok(HandlerOutcome::Silence)
        };
        self.wait_beside_reading(Box::pin(rest)).await.map(drop)
    }

    /// Waits while the node is paused: a paused node handles nothing and answers nothing.
    async fn while_paused(&mut self) {
        if self.orders.borrow().state == NodeState::Paused {
            // An error means that the node is gone, and then this connection ends as well.
            let _ = self
                .orders
                .wait_for(|orders| orders.state != NodeState::Paused)
                .await;
        }
    }

    /// Puts an answer behind those that wait to be written.
    async fn collect(&mut self, segments: Vec<Bytes>) -> Result<(), ConnectionEnd> {
        self.outgoing_size += segments.iter().map(Bytes::len).sum::<usize>();
        self.outgoing.extend(segments);
        if self.outgoing_size >= WRITE_BUFFER {
            self.flush().await?;
        }
        Ok(())
    }

    /// Writes all answers that wait. A client that does not read them is treated as one that says nothing.
    async fn flush(&mut self) -> Result<(), ConnectionEnd> {
        if self.outgoing.is_empty() {
            return Ok(());
        }
        let idle = self.peer.cluster.config.user.connections_max_idle;
        let size = std::mem::take(&mut self.outgoing_size);
        if self.slow.is_some() || self.node.link.is_shaped() {
            let start =
                || SlowWriter::start(Arc::clone(&self.stream), Arc::clone(&self.node), idle);
            let slow = self.slow.get_or_insert_with(start);
            let taken = timeout(idle, slow.write(std::mem::take(&mut self.outgoing), size)).await;
            return taken.map_err(|_| ConnectionEnd::Idle)?;
        }
        while !self.outgoing.is_empty() {
            let slices: Vec<IoSlice<'_>> = self
                .outgoing
                .iter()
                .take(SLICES)
                .map(|segment| IoSlice::new(segment))
                .collect();
            let mut written = match self.stream.try_write_vectored(&slices) {
                Ok(0) => return Err(ConnectionEnd::Closed),
                Ok(written) => written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    drop(slices);
                    within(idle, self.stream.writable()).await?;
                    continue;
                }
                Err(error) => return Err(ConnectionEnd::Io(error)),
            };
            while let Some(first) = self.outgoing.front_mut() {
                if written < first.len() {
                    first.advance(written);
                    break;
                }
                written -= first.len();
                self.outgoing.pop_front();
            }
        }
        if self.stream.is_tls() {
            within(idle, self.stream.flush()).await?;
        }
        Ok(())
    }
}

/// Waits for the socket, for as long as a connection may say nothing.
async fn within(
    idle: Duration,
    socket: impl Future<Output = io::Result<()>>,
) -> Result<(), ConnectionEnd> {
    let waited = timeout(idle, socket).await;
    waited
        .map_err(|_| ConnectionEnd::Idle)?
        .map_err(ConnectionEnd::Io)
}
