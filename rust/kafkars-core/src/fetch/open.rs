//! Fetched batches and what they are opened to: records for the application, positions to go on at, errors.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use kafkars_records::{Batch, RecordView, batches};

use crate::config::{IsolationLevel, TopicPartition};
use crate::fetch::error::FetchError;
use crate::fetch::position::{FetchPosition, position_after};
use crate::fetch::response_memory::ResponseMemory;

/// A checked batch with at least one record for the application.
#[derive(Debug)]
pub struct FetchedBatch {
    /// The topic it was read from.
    pub topic: Arc<str>,
    /// The partition it was read from.
    pub partition: i32,
    /// The records, as positions in one buffer.
    pub batch: Batch,
    first: u32,
    visible: u32,
    attachment: OnceLock<Attachment>,
}

/// Data that a language binding keeps with a batch, so that each record needs nothing but the batch.
pub type Attachment = Box<dyn Any + Send + Sync>;

impl FetchedBatch {
    /// The memory it takes to keep a batch besides the batch itself: the counts of its `Arc`, its entry in a queue, and
    /// what an allocator adds to each of these.
    const OVERHEAD: usize = size_of::<Self>() - size_of::<Batch>() + 160;

    /// Creates a batch of which `visible` records are to be read, from the byte position `first` on.
    pub(crate) fn new(partition: &TopicPartition, batch: Batch, first: u32, visible: u32) -> Self {
        Self {
            topic: Arc::clone(&partition.topic),
            partition: partition.partition,
            batch,
            first,
            visible,
            attachment: OnceLock::new(),
        }
    }

    /// Creates a batch all of whose records are to be read.
    pub fn whole(partition: &TopicPartition, batch: Batch) -> Self {
        let visible = batch.records().count();
        Self::new(
            partition,
            batch,
            0,
            u32::try_from(visible).unwrap_or(u32::MAX),
        )
    }

    /// Byte position of the first record at or after the offset that was asked for.
    pub fn first(&self) -> u32 {
        self.first
    }

    /// How many records there are from `first` on.
    pub fn visible(&self) -> u32 {
        self.visible
    }

    /// The data that a binding has attached, if it has.
    #[inline]
    pub fn attachment(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.attachment.get().map(|attachment| &**attachment)
    }

    /// Attaches data of a binding to the batch. Only the first call counts.
    pub fn attach(&self, make: impl FnOnce() -> Attachment) {
        self.attachment.get_or_init(make);
    }

    /// Bytes of memory that the batch takes: its records and what describes them.
    pub fn size(&self) -> usize {
        self.batch.memory() + Self::OVERHEAD
    }

    /// [`FetchedBatch::size`] without the memory that belongs to the response.
    pub fn own_size(&self) -> usize {
        self.batch.own_memory() + Self::OVERHEAD
    }
}

/// A consecutive run of one batch's records.
#[derive(Debug, Clone)]
pub struct RecordSlice {
    /// The batch.
    pub batch: Arc<FetchedBatch>,
    /// Byte position of the first record.
    pub start: u32,
    /// Byte position after the last record.
    pub end: u32,
    /// How many records.
    pub count: u32,
    /// The place of the partition that they were taken in ([`FetchBuffer::place`]).
    ///
    /// [`FetchBuffer::place`]: crate::fetch::buffer::FetchBuffer::place
    pub place: u64,
}

/// One record and the batch that holds its bytes.
#[derive(Debug, Clone)]
pub struct TakenRecord {
    /// The batch.
    pub batch: Arc<FetchedBatch>,
    /// The record, as positions in the batch.
    pub view: RecordView,
}

/// What the next part of a response turned out to be.
#[derive(Debug)]
pub enum Opened {
    /// Records for the application.
    Records(Arc<FetchedBatch>),
    /// Nothing for the application (control records, aborted transactions, records before the position): go on here.
    Skip(FetchPosition),
    /// An error that stops reading at this point.
    Failed(FetchError),
}

/// An aborted transaction, as the fetch response lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbortedTransaction {
    /// The producer id of the transaction.
    pub producer_id: i64,
    /// The first offset of the transaction.
    pub first_offset: i64,
}

/// One partition's records still to be opened.
#[derive(Debug)]
pub struct OpenJob {
    /// The partition that the records are from.
    pub partition: TopicPartition,
    /// The position that was asked for: earlier records are not shown.
    pub from: FetchPosition,
    /// The partition's bytes in the response.
    pub records: Bytes,
    /// The response whose buffer these bytes share.
    pub response: Arc<ResponseMemory>,
    /// Aborted transactions among the records, as the broker listed them.
    pub aborted: Vec<AbortedTransaction>,
    /// Whether records of aborted transactions are hidden.
    pub isolation: IsolationLevel,
}

impl OpenJob {
    /// The position after the last whole batch, from the headers alone; `from` when there is none. So the next fetch
    /// can be sent before any batch is opened. An invalid header ends the walk: opening will report it.
    pub fn next(&self) -> FetchPosition {
        let mut next = self.from;
        for raw in batches(self.records.clone()).map_while(Result::ok) {
            match position_after(&raw.header) {
                Ok(after) if after.offset > next.offset => next = after,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        next
    }
}
