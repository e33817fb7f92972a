//! Bytes that wait to be written to a socket.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use kafkars_protocol::Frame;
use tokio::io::AsyncWrite;

/// The most segments in one write call; the rest goes into the next.
const SEGMENTS_PER_WRITE: usize = 32;

/// Segments of frames, in the order in which they are written.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    segments: VecDeque<Bytes>,
}

impl Outbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        if self.segments.is_empty() {
            self.segments = frame.into_segments().into();
        } else {
            self.segments.extend(frame.into_segments());
        }
    }

    /// Puts segments that were queued later behind these.
    pub(crate) fn append(&mut self, mut later: Self) {
        self.segments.append(&mut later.segments);
    }

    /// Writes until nothing is left or the socket takes no more. Adds the bytes written to `written`, also if it ends
    /// in an error.
    pub(crate) fn poll_write<W: AsyncWrite + Unpin>(
        &mut self,
        writer: &mut W,
        context: &mut Context<'_>,
        written: &mut usize,
    ) -> Poll<io::Result<()>> {
        while !self.segments.is_empty() {
            let count = ready!(self.poll_once(writer, context))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *written += count;
            self.advance(count);
        }
        // A TLS stream keeps its records back until it is flushed; for TCP this does nothing.
        Pin::new(writer).poll_flush(context)
    }

    fn poll_once<W: AsyncWrite + Unpin>(
        &self,
        writer: &mut W,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let writer = Pin::new(writer);
        if let (1, Some(only)) = (self.segments.len(), self.segments.front()) {
            return writer.poll_write(context, only);
        }
        let mut slices = [IoSlice::new(&[]); SEGMENTS_PER_WRITE];
        let mut count = 0;
        for (slice, segment) in slices.iter_mut().zip(&self.segments) {
            *slice = IoSlice::new(segment);
            count += 1;
        }
        writer.poll_write_vectored(context, &slices[..count])
    }

    fn advance(&mut self, mut written: usize) {
        while let Some(first) = self.segments.front_mut() {
            if written < first.len() {
                first.advance(written);
                return;
            }
            written -= first.len();
            self.segments.pop_front();
        }
    }
}
