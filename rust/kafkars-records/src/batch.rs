//! A batch before and after it is opened: its bytes, and the checked batch that records are read from.

use bytes::Bytes;

use crate::{
    batch_header::BatchHeader,
    check::MARK_EVERY,
    record::{self, HeaderWalk, RecordView, Span},
};

/// One batch as it came, not yet checked beyond its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBatch {
    /// The header. Of a message set of magic 0 or 1 it holds what a single message states: a compressed one knows only
    /// the offset of its last record until it is opened.
    pub header: BatchHeader,
    bytes: Bytes,
}

impl RawBatch {
    pub(crate) fn new(header: BatchHeader, bytes: Bytes) -> Self {
        Self { header, bytes }
    }

    /// The whole batch, header included, as it stands on the wire and in the log.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub(crate) fn into_parts(self) -> (BatchHeader, Bytes) {
        (self.header, self.bytes)
    }
}

/// A checked batch: one buffer, and records as positions in it. Cloning shares the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The header. Of a message set of magic 0 or 1 it is rewritten to describe all records of the set.
    pub header: BatchHeader,
    data: Bytes,
    // Positions of every `MARK_EVERY`th record.
    marks: Box<[u32]>,
    // Whether `data` is a slice of the bytes that were read, and keeps them alive.
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

    /// The same batch, whose data is a slice of the bytes that were read.
    pub(crate) fn sharing_input(self) -> Self {
        Self {
            shares_input: true,
            ..self
        }
    }

    /// Whether the batch keeps the bytes alive that it was read from: they were not compressed, and too many to be
    /// copied.
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

    /// The record at `position`: 0, or the `next` of a record of this batch. Any other position gives some
    /// record-shaped answer whose spans [`Batch::slice`] can still take, but no meaning.
    #[inline]
    pub fn record_at(&self, position: u32) -> RecordView {
        record::view(&self.header, &self.data, position)
    }

    /// The record that has `index` records before it; `None` past the last. Walks over a few of them, not over all.
    pub fn nth(&self, index: u32) -> Option<RecordView> {
        let index = index as usize;
        let mark = self.marks.get(index / MARK_EVERY)?;
        self.walk_from(*mark).nth(index % MARK_EVERY)
    }

    /// The headers of a record of this batch.
    pub fn headers(&self, record: &RecordView) -> HeaderWalk<'_> {
        HeaderWalk::new(&self.data, record)
    }

    /// The bytes of a span of this batch; a span of another batch that does not fit gives none.
    #[inline]
    pub fn slice(&self, span: Span) -> &[u8] {
        self.data
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// Bytes of memory that the batch takes: its records and what describes them.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.data.len() + size_of_val(&*self.marks)
    }

    /// [`Batch::memory`] without the bytes that belong to the input.
    pub fn own_memory(&self) -> usize {
        let shared = if self.shares_input {
            self.data.len()
        } else {
            0
        };
        self.memory() - shared
    }

    /// The uncompressed records that spans and positions point into.
    pub fn data(&self) -> &Bytes {
        &self.data
    }
}

/// Walks the records of one batch.
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
