//! One partition's share of a fetch response, opened: checksums, decompression, transactions.

use std::any::Any;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use kafkars_records::{
    Batch, BatchHeader, RawBatch, ReadLimits, RecordView, RecordsError, batches,
};

use crate::config::{IsolationLevel, TopicPartition};
use crate::fetch::cursor::Place;
use crate::fetch::error::FetchError;

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

    /// Bytes that the batch keeps in memory.
    pub fn size(&self) -> usize {
        self.batch.data().len()
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
    Skip(Place),
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
    /// What was asked for: earlier records in the first batch are not shown.
    pub from: Place,
    /// The response's bytes.
    pub records: Bytes,
    /// Aborted transactions in that range, as the broker listed them.
    pub aborted: Vec<AbortedTransaction>,
    /// Whether aborted records are hidden.
    pub isolation: IsolationLevel,
}

impl OpenJob {
    /// The place after the last whole batch, from the headers alone; `from` when there is none. The next fetch can
    /// leave before any batch is opened.
    pub fn next(&self) -> Place {
        let last = batches(self.records.clone())
            .map_while(Result::ok)
            .last()
            .map(|batch| after(&batch.header));
        last.filter(|next| next.offset >= self.from.offset)
            .unwrap_or(self.from)
    }

    /// Opens every batch. Stops at the first that cannot be read.
    pub fn open(&self, limits: &ReadLimits) -> Vec<Opened> {
        let mut opened = Vec::new();
        let mut transactions = Transactions::new(self.isolation, &self.aborted);
        for raw in batches(self.records.clone()) {
            let next = raw.and_then(|raw| self.open_batch(&raw, limits, &mut transactions));
            match next {
                Ok(Some(next)) => opened.push(next),
                Ok(None) => {}
                Err(error) => {
                    opened.push(Opened::Failed(self.corrupt(&opened, &error)));
                    break;
                }
            }
        }
        opened
    }

    fn open_batch(
        &self,
        raw: &RawBatch,
        limits: &ReadLimits,
        transactions: &mut Transactions,
    ) -> Result<Option<Opened>, RecordsError> {
        let header = &raw.header;
        if header.next_offset() <= self.from.offset {
            return Ok(None);
        }
        let skip = Opened::Skip(after(header));
        if header.attributes.is_control() {
            let batch = raw.open(limits)?;
            transactions.see_control(&batch);
            return Ok(Some(skip));
        }
        if transactions.hides(raw) {
            raw.verify_crc()?;
            return Ok(Some(skip));
        }
        let batch = raw.open(limits)?;
        let mut visible = u32::try_from(batch.header.record_count).unwrap_or(0);
        let mut first = 0;
        for record in batch.records() {
            if record.offset >= self.from.offset {
                break;
            }
            visible = visible.saturating_sub(1);
            first = record.next;
        }
        if visible == 0 {
            return Ok(Some(skip));
        }
        Ok(Some(Opened::Records(Arc::new(FetchedBatch {
            topic: Arc::clone(&self.partition.topic),
            partition: self.partition.partition,
            first,
            visible,
            batch,
            attachment: OnceLock::new(),
        }))))
    }

    fn corrupt(&self, opened: &[Opened], error: &RecordsError) -> FetchError {
        let reached = opened.iter().rev().find_map(|opened| match opened {
            Opened::Records(batch) => Some(batch.batch.header.next_offset()),
            Opened::Skip(next) => Some(next.offset),
            Opened::Failed(_) => None,
        });
        FetchError::Corrupt {
            partition: self.partition.clone(),
            offset: reached.unwrap_or(self.from.offset),
            cause: error.to_string().into(),
        }
    }
}

/// Where reading goes on behind a batch.
fn after(header: &BatchHeader) -> Place {
    Place {
        offset: header.next_offset(),
        leader_epoch: header.partition_leader_epoch,
    }
}

/// Which producers' transactional batches are hidden at this point of the log.
struct Transactions {
    read_committed: bool,
    // Sorted by first offset, latest first, so that the next to begin is popped from the end.
    to_begin: Vec<AbortedTransaction>,
    aborted: HashSet<i64>,
}

impl Transactions {
    fn new(isolation: IsolationLevel, aborted: &[AbortedTransaction]) -> Self {
        let mut to_begin = aborted.to_vec();
        to_begin.sort_by_key(|transaction| std::cmp::Reverse(transaction.first_offset));
        Self {
            read_committed: isolation == IsolationLevel::ReadCommitted,
            to_begin,
            aborted: HashSet::new(),
        }
    }

    fn hides(&mut self, raw: &RawBatch) -> bool {
        if !self.read_committed {
            return false;
        }
        let last_offset = raw.header.last_offset();
        while self
            .to_begin
            .last()
            .is_some_and(|transaction| transaction.first_offset <= last_offset)
        {
            let begun = self.to_begin.pop();
            self.aborted
                .extend(begun.map(|transaction| transaction.producer_id));
        }
        raw.header.attributes.is_transactional() && self.aborted.contains(&raw.header.producer_id)
    }

    /// Any marker ends the producer's transaction; what follows belongs to its next one.
    fn see_control(&mut self, batch: &Batch) {
        self.aborted.remove(&batch.header.producer_id);
    }
}
