//! What fetched batches become: records for the application, places to go on at, errors.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use kafkars_records::{Batch, RecordView, batches};

use crate::config::{IsolationLevel, TopicPartition};
use crate::fetch::error::FetchError;
use crate::fetch::position::{FetchPosition, place_after};
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

/// What a binding keeps with a batch, so that each record needs nothing but the batch.
pub type Attachment = Box<dyn Any + Send + Sync>;

impl FetchedBatch {
    /// What is needed besides the batch itself to keep one: the counts of its `Arc`, its place in a queue, and what an
    /// allocator adds to each of these.
    const OVERHEAD: usize = size_of::<Self>() - size_of::<Batch>() + 160;

    /// `visible` records of `batch`, from the byte position `first` on.
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

    /// A batch all of whose records are to be read, wherever it came from.
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

    /// Records from there on.
    pub fn visible(&self) -> u32 {
        self.visible
    }

    /// What a binding has kept here, if it has.
    #[inline]
    pub fn attachment(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.attachment.get().map(|attachment| &**attachment)
    }

    /// Keeps something with the batch. Only the first call counts.
    pub fn attach(&self, make: impl FnOnce() -> Attachment) {
        self.attachment.get_or_init(make);
    }

    /// Bytes of memory that the batch takes: its records and what describes them.
    pub fn size(&self) -> usize {
        self.batch.memory() + Self::OVERHEAD
    }

    /// [`FetchedBatch::size`] without what belongs to the response in which the batch came.
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
    /// How many.
    pub count: u32,
}

/// One record and the batch that holds its bytes.
#[derive(Debug, Clone)]
pub struct TakenRecord {
    /// The batch.
    pub batch: Arc<FetchedBatch>,
    /// The record as positions in it.
    pub view: RecordView,
}

/// What a part of a response turned out to be, in order.
#[derive(Debug)]
pub enum Opened {
    /// Records for the application.
    Records(Arc<FetchedBatch>),
    /// Nothing to show (control records, aborted transactions, records before the position): go on here.
    Skip(FetchPosition),
    /// Reading cannot go on past this point.
    Failed(FetchError),
}

/// A transaction that was aborted, from the fetch response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbortedTransaction {
    /// Whose.
    pub producer_id: i64,
    /// Where it began.
    pub first_offset: i64,
}

/// One partition's records still to be opened.
#[derive(Debug)]
pub struct OpenJob {
    /// Where from.
    pub partition: TopicPartition,
    /// What was asked for: earlier records are not shown.
    pub from: FetchPosition,
    /// The partition's bytes in the response.
    pub records: Bytes,
    /// The response, which these bytes keep whole.
    pub response: Arc<ResponseMemory>,
    /// Aborted transactions in that range, as the broker listed them.
    pub aborted: Vec<AbortedTransaction>,
    /// Whether aborted records are hidden.
    pub isolation: IsolationLevel,
}

impl OpenJob {
    /// The place after the last whole batch, from the headers alone; `from` when there is none. The next fetch can
    /// leave before any batch is opened. A header that no log can hold ends the walk: opening will tell of it.
    pub fn next(&self) -> FetchPosition {
        let mut next = self.from;
        for raw in batches(self.records.clone()).map_while(Result::ok) {
            match place_after(&raw.header) {
                Ok(after) if after.offset > next.offset => next = after,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        next
    }
}
