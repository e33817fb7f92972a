//! Consecutive batches in one stretch of memory.
//!
//! Batches are copied in as they arrive, one memory copy each, so that a fetch of any number of them is one slice that
//! goes to the socket without a copy, and so that the buffer a request was read into can be used again.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

/// A growing piece of a log. What has been read once is frozen into runs; the rest is still open in `tail`.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Frozen pieces, each with the position in the segment where it starts. One only, once the segment is sealed.
    runs: Vec<(usize, Bytes)>,
    frozen: usize,
    tail: BytesMut,
}

impl Segment {
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            runs: Vec::new(),
            frozen: 0,
            tail: BytesMut::with_capacity(capacity),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.frozen + self.tail.len()
    }

    pub(crate) fn has_room_for(&self, length: usize) -> bool {
        self.tail.capacity() - self.tail.len() >= length
    }

    /// Copies a batch in and gives the copy, to be stamped with its offsets.
    pub(crate) fn append(&mut self, batch: &[u8]) -> &mut [u8] {
        let start = self.tail.len();
        self.tail.extend_from_slice(batch);
        &mut self.tail[start..]
    }

    /// The bytes at `range`, which must lie within the segment. Copies only in an open segment that was read in small
    /// steps before.
    pub(crate) fn read(&mut self, range: Range<usize>) -> Bytes {
        if range.end > self.frozen {
            self.freeze();
        }
        let first = self
            .runs
            .partition_point(|(start, _)| *start <= range.start)
            .saturating_sub(1);
        let Some((start, run)) = self.runs.get(first) else {
            return Bytes::new();
        };
        if range.end - start <= run.len() {
            return run.slice(range.start - start..range.end - start);
        }
        let mut joined = BytesMut::with_capacity(range.len());
        for (start, run) in &self.runs[first..] {
            if *start >= range.end {
                break;
            }
            let from = range.start.saturating_sub(*start);
            let to = run.len().min(range.end - start);
            joined.extend_from_slice(&run[from..to]);
        }
        joined.freeze()
    }

    /// Nothing more will be appended: joins the runs, so that later reads need no copy.
    pub(crate) fn seal(&mut self) {
        self.freeze();
        if self.runs.len() > 1 {
            let whole = self.read(0..self.frozen);
            self.runs = vec![(0, whole)];
        }
        self.tail = BytesMut::new();
    }

    fn freeze(&mut self) {
        if !self.tail.is_empty() {
            let run = self.tail.split().freeze();
            let start = self.frozen;
            self.frozen += run.len();
            self.runs.push((start, run));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_read_is_one_slice() {
        let mut segment = Segment::with_capacity(100);
        segment.append(b"one");
        segment.append(b"two");
        let read = segment.read(0..6);
        assert_eq!(read, "onetwo");
        assert_eq!(segment.read(3..6).as_ptr(), read[3..].as_ptr());
    }

    #[test]
    fn reads_across_runs_are_joined() {
        let mut segment = Segment::with_capacity(100);
        for piece in ["one", "two", "three"] {
            segment.append(piece.as_bytes());
            segment.read(0..1);
        }
        assert_eq!(segment.read(3..11), "twothree");
        assert_eq!(segment.read(0..11), "onetwothree");
        assert_eq!(segment.read(3..6), "two");
        segment.seal();
        assert_eq!(segment.read(0..11), "onetwothree");
        assert_eq!(segment.read(3..6), "two");
    }

    #[test]
    fn an_open_segment_keeps_its_room_after_a_read() {
        let mut segment = Segment::with_capacity(10);
        segment.append(b"12345").copy_from_slice(b"abcde");
        assert_eq!(segment.read(0..5), "abcde");
        assert!(segment.has_room_for(5));
        assert!(!segment.has_room_for(6));
        segment.append(b"fghij");
        assert_eq!(segment.read(4..7), "efg");
        assert_eq!(segment.len(), 10);
    }
}
