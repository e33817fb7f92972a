//! The buffer of a fetch response, and how its memory is counted.
//!
//! A response is one buffer, and any part that is kept keeps all of it in memory: ten kilobytes of a paused partition
//! hold the fifty megabytes that came with them. So it is charged as a whole against `fetch_buffer_bytes`, once, for as
//! long as anything in it waits for the application: parts that are not opened, and batches that were not compressed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// One response's buffer, and how many waiting parts are in it. Only the
/// [`FetchBuffer`](crate::fetch::buffer::FetchBuffer) that admits them counts, behind its lock, so the order of memory
/// operations does not matter.
#[derive(Debug)]
pub struct ResponseMemory {
    bytes: usize,
    parts: AtomicUsize,
    // Of these, in paused partitions.
    paused_parts: AtomicUsize,
}

impl ResponseMemory {
    /// Creates a response of this many bytes, of which nothing waits yet.
    #[must_use]
    pub fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self {
            bytes,
            parts: AtomicUsize::new(0),
            paused_parts: AtomicUsize::new(0),
        })
    }

    /// Bytes that are freed with the last part.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Counts one more part that waits. Returns the bytes that this adds to what is held.
    pub(super) fn hold(&self) -> usize {
        self.first(&self.parts)
    }

    /// Counts one part less that waits. Returns the bytes that this frees.
    pub(super) fn release(&self) -> usize {
        self.last(&self.parts)
    }

    /// Counts one more part in a paused partition. Returns the bytes that this adds to what paused partitions hold.
    pub(super) fn pause(&self) -> usize {
        self.first(&self.paused_parts)
    }

    /// The reverse of [`ResponseMemory::pause`].
    pub(super) fn resume(&self) -> usize {
        self.last(&self.paused_parts)
    }

    fn first(&self, count: &AtomicUsize) -> usize {
        match count.fetch_add(1, Relaxed) {
            0 => self.bytes,
            _ => 0,
        }
    }

    fn last(&self, count: &AtomicUsize) -> usize {
        let before = count.load(Relaxed);
        count.store(before.saturating_sub(1), Relaxed);
        match before {
            1 => self.bytes,
            _ => 0,
        }
    }
}
