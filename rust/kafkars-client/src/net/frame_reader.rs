//! Cuts the bytes from a peer into frames without copying them.
//!
//! Small frames are cut out of a buffer that many of them share. A frame that does not fit gets a buffer of exactly its
//! length, in which its record batches stay later on.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use kafkars_protocol::{FrameError, FrameLimit, LENGTH_PREFIX};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Size of the shared buffer: room for many small responses, and for the start of a large one.
const SHARED_CAPACITY: usize = 16 * 1024;

/// If less room than this is left, the shared buffer is replaced before reading.
const LEAST_ROOM: usize = 2 * 1024;

/// Frames longer than this get a buffer of their own, unless they have arrived whole with others.
const LONGEST_SHARED: usize = 8 * 1024;

/// A peer may announce any length below the limit, so more than this is only allocated as bytes arrive.
const FIRST_ALLOCATION: usize = 4 * 1024 * 1024;

/// The limit of the first frame, the response to ApiVersions. A peer that is no broker is recognised by its absurd
/// length, which needs a limit that its first bytes exceed.
const FIRST_LIMIT: usize = 16 * 1024 * 1024;

pub(crate) struct FrameReader<R> {
    source: R,
    limit: FrameLimit,
    is_first: bool,
    /// True while frames may be shorter than a header.
    tokens: bool,
    shared: BytesMut,
    /// A frame that has its own buffer, and its full length.
    large: Option<(BytesMut, usize)>,
    received: u64,
}

/// Why there is no next frame.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The peer closed the connection.
    End,
    /// The operating system reports an error.
    Io(io::Error),
    /// The next bytes are no frame.
    Frame(FrameError),
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(source: R, longest: usize) -> Self {
        Self {
            source,
            limit: FrameLimit::new(longest),
            is_first: true,
            tokens: false,
            shared: BytesMut::new(),
            large: None,
            received: 0,
        }
    }

    /// Switches to tokens without headers, or back to frames.
    pub(crate) fn expect_tokens(&mut self, expected: bool) {
        self.tokens = expected;
    }

    /// Bytes read so far.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// Returns the next frame, without its length prefix.
    pub(crate) fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Bytes, ReadError>> {
        loop {
            if self.large.is_some() {
                return self.poll_large(context);
            }
            match self.cut() {
                Ok(Some(frame)) => return Poll::Ready(Ok(frame)),
                Ok(None) if self.large.is_some() => continue,
                Ok(None) => {}
                Err(error) => return Poll::Ready(Err(ReadError::Frame(error))),
            }
            if self.shared.capacity() - self.shared.len() < LEAST_ROOM {
                self.shared.reserve(SHARED_CAPACITY);
            }
            let read = ready!(pin!(self.source.read_buf(&mut self.shared)).poll(context));
            if let Err(error) = self.count(read) {
                return Poll::Ready(Err(error));
            }
        }
    }

    /// Cuts a frame out of the shared buffer, or moves the start of a large one to a buffer of its own.
    fn cut(&mut self) -> Result<Option<Bytes>, FrameError> {
        let Some(&prefix) = self.shared.first_chunk::<LENGTH_PREFIX>() else {
            return Ok(None);
        };
        let length = self.parse(prefix)?;
        if self.shared.len() >= LENGTH_PREFIX + length {
            self.is_first = false;
            self.shared.advance(LENGTH_PREFIX);
            return Ok(Some(self.shared.split_to(length).freeze()));
        }
        if length > LONGEST_SHARED {
            self.shared.advance(LENGTH_PREFIX);
            let mut own = BytesMut::with_capacity(length.min(FIRST_ALLOCATION));
            own.extend_from_slice(&self.shared);
            self.shared.clear();
            self.large = Some((own, length));
            self.is_first = false;
        }
        Ok(None)
    }

    fn parse(&self, prefix: [u8; LENGTH_PREFIX]) -> Result<usize, FrameError> {
        if self.is_first {
            FrameLimit::new(FIRST_LIMIT).parse(prefix)?;
        }
        match self.tokens {
            true => self.limit.of_tokens().parse(prefix),
            false => self.limit.parse(prefix),
        }
    }

    fn poll_large(&mut self, context: &mut Context<'_>) -> Poll<Result<Bytes, ReadError>> {
        while let Some((own, length)) = &mut self.large {
            let missing = *length - own.len();
            if missing == 0 {
                break;
            }
            if own.capacity() == own.len() {
                own.reserve(missing.min(own.len()));
            }
            let mut rest = (&mut *own).limit(missing);
            let read = ready!(pin!(self.source.read_buf(&mut rest)).poll(context));
            if let Err(error) = self.count(read) {
                return Poll::Ready(Err(error));
            }
        }
        let frame = self.large.take().map(|(own, _)| own.freeze());
        Poll::Ready(Ok(frame.unwrap_or_default()))
    }

    fn count(&mut self, read: io::Result<usize>) -> Result<(), ReadError> {
        match read {
            Ok(0) => Err(ReadError::End),
            Ok(count) => {
                self.received += count as u64;
                Ok(())
            }
            Err(error) => Err(ReadError::Io(error)),
        }
    }
}
