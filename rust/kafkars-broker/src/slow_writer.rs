//! A slow writer writes answers late and slowly, as the link of a node asks, without holding up the requests behind
//! them.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

use crate::control::link_shaper::Direction;
use crate::handlers::outcome::ConnectionEnd;
use crate::nodes::EmbeddedNode;
use crate::security::transport::ServerTransport;

/// Bytes of answers that may wait in one connection; its requests wait when there are more.
const MAX_WAITING: usize = 8 * 1024 * 1024;
/// Answers that may wait in one connection.
const MAX_ANSWERS: usize = 4096;
/// Bytes that are written at once: with limited bandwidth, large answers arrive piece by piece.
const PIECE: usize = 16 * 1024;

/// The sending side of the task that writes. The task ends when this is dropped and everything is written.
#[derive(Debug)]
pub(crate) struct SlowWriter {
    answers: mpsc::Sender<QueuedAnswers>,
    room: Arc<Semaphore>,
}

#[derive(Debug)]
struct QueuedAnswers {
    due: Instant,
    segments: VecDeque<Bytes>,
    _room: OwnedSemaphorePermit,
}

impl SlowWriter {
    /// `idle` is how long a client may read nothing while something waits for it.
    pub(crate) fn start(
        stream: Arc<ServerTransport>,
        node: Arc<EmbeddedNode>,
        idle: Duration,
    ) -> Self {
        let (answers, waiting) = mpsc::channel(MAX_ANSWERS);
        let end = node.connections_end();
        tokio::spawn(async move {
            // What is not written by then is lost with the node or the connection.
            tokio::select! {
                () = write_all(waiting, &stream, &node, idle) => {}
                () = end => {}
            }
        });
        let room = Arc::new(Semaphore::new(MAX_WAITING));
        Self { answers, room }
    }

    /// Hands answers of `size` bytes over; waits while too many wait already.
    pub(crate) async fn write(
        &self,
        segments: VecDeque<Bytes>,
        size: usize,
    ) -> Result<(), ConnectionEnd> {
        let share = u32::try_from(size.clamp(1, MAX_WAITING)).unwrap_or(1);
        let room = Arc::clone(&self.room).acquire_many_owned(share).await;
        let answers = QueuedAnswers {
            due: Instant::now(),
            segments,
            _room: room.map_err(|_| ConnectionEnd::Closed)?,
        };
        self.answers
            .send(answers)
            .await
            .map_err(|_| ConnectionEnd::Closed)
    }
}

async fn write_all(
    mut waiting: mpsc::Receiver<QueuedAnswers>,
    stream: &ServerTransport,
    node: &EmbeddedNode,
    idle: Duration,
) {
    while let Some(mut answers) = waiting.recv().await {
        sleep_until(answers.due + node.link.latency()).await;
        for segment in &mut answers.segments {
            while segment.has_remaining() {
                let piece = segment.split_to(segment.len().min(PIECE));
                node.link.carry(Direction::Out, piece.len()).await;
                if let Err(error) = write(stream, piece, idle).await {
                    tracing::debug!(node = node.id, %error, "a slow connection ended");
                    return;
                }
            }
        }
    }
}

async fn write(stream: &ServerTransport, mut piece: Bytes, idle: Duration) -> io::Result<()> {
    while piece.has_remaining() {
        match stream.try_write(&piece) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => piece.advance(written),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                timeout(idle, stream.writable()).await??;
            }
            Err(error) => return Err(error),
        }
    }
    if stream.is_tls() {
        timeout(idle, stream.flush()).await??;
    }
    Ok(())
}
