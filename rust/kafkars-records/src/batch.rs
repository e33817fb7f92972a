//! Batches: the bytes of one, and the checked batch that records are read from.

use bytes::Bytes;

use crate::{
    batch_header::BatchHeader,
    check::MARK_EVERY,
    record::{self, HeaderWalk, RecordView, Span},
};

/// A batch as it was received, of which only the header was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBatch {
    /// The header. For a message set (magic 0 or 1) it has what a single message states: if that is compressed, only
    /// the offset of the last message in it is known until it is opened.
    pub header: BatchHeader,
    bytes: Bytes,
}

impl RawBatch {
    pub(crate) fn new(header: BatchHeader, bytes: Bytes) -> Self {
        Self { header, bytes }
    }

    /// The whole batch, header included, as it is on the wire and in the log.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(crate) fn into_parts(self) -> (BatchHeader, Bytes) {
        (self.header, self.bytes)
    }
}

/// A checked batch: one buffer, with records as positions in it. Clones share the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The header. For a message set (magic 0 or 1) it was rewritten to describe all its messages.
    pub header: BatchHeader,
    data: Bytes,
    // Positions of every `MARK_EVERY`th record.
    marks: Box<[u32]>,
    // True if `data` is a slice of the input, which it keeps alive.
    shares_input: bool,
}

impl Batch {
    pub(crate) fn new(header: BatchHeader, data: Bytes, marks: Box<[u32]>) -> Self {
        Self {
            header,
            data,
            marks,
            shares_input: false,
        }
    }

    /// Marks the batch as one whose data is a slice of the input.
    pub(crate) fn sharing_input(self) -> Self {
        Self {
            shares_input: true,
            ..self
        }
    }

    /// True if the batch keeps the input alive from which it was read: its records were not compressed, and too large
    /// to be copied.
    pub fn shares_input(&self) -> bool {
        self.shares_input
    }

    /// All records in order.
    pub fn records(&self) -> RecordWalk<'_> {
        self.walk_from(0)
    }

    /// The records from `position` on: 0, or the `next` of a record of this batch.
    pub fn walk_from(&self, position: u32) -> RecordWalk<'_> {
        RecordWalk {
            batch: self,
            position,
        }
    }

    /// The record at `position`, which is 0 or the `next` of a record of this batch. At any other position the result
    /// has no meaning, but [`Batch::slice`] accepts its spans.
    #[inline]
    pub fn record_at(&self, position: u32) -> RecordView {
        record::view(&self.header, &self.data, position)
    }

    /// The record with the given index; `None` past the last. Skips over at most `MARK_EVERY` records, not over all.
    pub fn nth(&self, index: u32) -> Option<RecordView> {
        let index = index as usize;
        let mark = self.marks.get(index / MARK_EVERY)?;
        self.walk_from(*mark).nth(index % MARK_EVERY)
    }

    /// The headers of a record of this batch.
    pub fn headers(&self, record: &RecordView) -> HeaderWalk<'_> {
        HeaderWalk::new(&self.data, record)
    }

    /// The bytes of a span of this batch; empty for a span of another batch that does not fit.
    #[inline]
    pub fn slice(&self, span: Span) -> &[u8] {
        self.data
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// Bytes of memory that the batch takes: its records and its own structures.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.data.len() + size_of_val(&*self.marks)
    }

    /// As [`Batch::memory`], without bytes that belong to the input.
    pub fn own_memory(&self) -> usize {
        let shared = if self.shares_input {
            self.data.len()
        } else {
            0
        };
        self.memory() - shared
    }

    /// The uncompressed records, into which spans and positions point.
    pub fn data(&self) -> &Bytes {
        &self.data
    }
}

/// Iterates over the records of one batch.
#[derive(Debug, Clone)]
pub struct RecordWalk<'a> {
    batch: &'a Batch,
    position: u32,
}

impl Iterator for RecordWalk<'_> {
    type Item = RecordView;

    #[inline]
    fn next(&mut self) -> Option<RecordView> {
        if self.position as usize >= self.batch.data().len() {
            return None;
        }
        let view = self.batch.record_at(self.position);
        self.position = view.next;
        Some(view)
    }
}
