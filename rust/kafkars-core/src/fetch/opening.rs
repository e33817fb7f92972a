//! One partition's share of a fetch response while it is opened, batch by batch: offsets, checksums, decompression,
//! transactions.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use kafkars_records::{Batch, BatchHeader, Batches, RawBatch, ReadLimits, RecordsError, batches};

use crate::config::{IsolationLevel, TopicPartition};
use crate::fetch::error::FetchError;
use crate::fetch::open::{AbortedTransaction, FetchedBatch, OpenJob, Opened};
use crate::fetch::position::{FetchPosition, position_after};
use crate::fetch::response_memory::ResponseMemory;

/// Records of at most this many bytes are copied out of the buffer in which their response came: it may be shared with
/// other responses, and is much larger than they are. Larger parts stay where they are, and the response is charged.
const COPIED: usize = 8 << 10;

/// The memory it takes to keep a part besides its bytes; for small parts it is more than these.
const OVERHEAD: usize = size_of::<Opening>() + size_of::<ResponseMemory>() + 64;

/// An [`OpenJob`] of which some batches are opened.
#[derive(Debug)]
pub struct Opening {
    partition: TopicPartition,
    response: Arc<ResponseMemory>,
    walk: Batches,
    // The next batch, already taken from `walk`.
    next: Option<RawBatch>,
    at: FetchPosition,
    transactions: AbortedProducers,
    has_batch: bool,
    is_done: bool,
}

/// Tells that a batch would take too long to be opened among other work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl Opening {
    /// Creates an opening of `job`, of which nothing is opened yet.
    pub fn new(job: OpenJob) -> Self {
        let (records, response) = match job.records.len() {
            length @ 0..=COPIED => (
                Bytes::copy_from_slice(&job.records),
                ResponseMemory::new(length + OVERHEAD),
            ),
            _ => (job.records, job.response),
        };
        Self {
            partition: job.partition,
            response,
            is_done: records.is_empty(),
            walk: batches(records),
            next: None,
            at: job.from,
            transactions: AbortedProducers::new(job.isolation, job.aborted),
            has_batch: false,
        }
    }

    /// The position where the next batch goes on.
    pub fn at(&self) -> FetchPosition {
        self.at
    }

    /// The response whose buffer holds the bytes.
    pub(crate) fn response(&self) -> &Arc<ResponseMemory> {
        &self.response
    }

    /// True if nothing is left to open.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// How many bytes are not opened yet, counted as they came.
    pub fn unopened(&self) -> usize {
        if self.is_done {
            return 0;
        }
        let next = self.next.as_ref();
        self.walk.rest().len() + next.map_or(0, |raw| raw.bytes().len())
    }

    /// Opens batches until they take `budget` bytes of memory or nothing is left: one batch at least. Stops at the
    /// first that cannot be read.
    pub fn open(&mut self, limits: &ReadLimits, budget: usize) -> Vec<Opened> {
        let mut opened = Vec::new();
        let mut size = 0;
        while size < budget
            && let Some(part) = self.open_next(limits)
        {
            let part = part.unwrap_or_else(|error| self.fail(&error));
            size += size_of_part(&part);
            opened.push(part);
        }
        self.note_end();
        opened
    }

    /// Ends the opening if only the start of a batch that was cut off is left: it must not keep the response in memory.
    fn note_end(&mut self) {
        let has_next = self.next.is_some() || self.walk.clone().next().is_some();
        self.is_done |= self.has_batch && !has_next;
    }

    /// Opens all that is left if it takes less than about `most` bytes before and after decompression. Otherwise
    /// returns [`TooLarge`] with what was opened, and [`Opening::open`] goes on from there.
    pub fn open_small(
        &mut self,
        limits: &ReadLimits,
        most: usize,
    ) -> (Vec<Opened>, Result<(), TooLarge>) {
        let mut opened = Vec::new();
        if self.unopened() > most {
            return (opened, Err(TooLarge));
        }
        let mut left = most;
        loop {
            let small = ReadLimits {
                max_decompressed: limits.max_decompressed.min(left),
            };
            let part = match self.open_next(&small) {
                None => return (opened, Ok(())),
                Some(Ok(part)) => part,
                Some(Err(RecordsError::DecompressedTooLarge { limit, .. }))
                    if limit < limits.max_decompressed =>
                {
                    return (opened, Err(TooLarge));
                }
                Some(Err(error)) => self.fail(&error),
            };
            left = left.saturating_sub(size_of_part(&part));
            opened.push(part);
        }
    }

    /// Opens the next batch that is not before the position. A batch that cannot be opened stays the next one.
    fn open_next(&mut self, limits: &ReadLimits) -> Option<Result<Opened, RecordsError>> {
        while !self.is_done {
            let raw = match self.next.take().map(Ok).or_else(|| self.walk.next()) {
                Some(Ok(raw)) => raw,
                Some(Err(error)) => return Some(Err(error)),
                None if self.has_batch => {
                    self.is_done = true;
                    break;
                }
                None => return Some(Err(cut_short(self.walk.rest()))),
            };
            self.has_batch = true;
            match self.open_batch(&raw, limits) {
                Ok(None) => {}
                Ok(Some(opened)) => return Some(Ok(opened)),
                Err(error) => {
                    self.next = Some(raw);
                    return Some(Err(error));
                }
            }
        }
        None
    }

    /// Opens a batch; `None` if all of it is before the position.
    fn open_batch(
        &mut self,
        raw: &RawBatch,
        limits: &ReadLimits,
    ) -> Result<Option<Opened>, RecordsError> {
        let header = &raw.header;
        let after = position_after(header)?;
        if after.offset <= self.at.offset {
            return Ok(None);
        }
        // A marker at the start of the range ends a transaction that began before it: it must have begun here too.
        self.transactions.begin_up_to(header.last_offset());
        let opened = if header.attributes.is_control() {
            let batch = raw.open(limits)?;
            self.transactions.end(batch.header.producer_id);
            Opened::Skip(after)
        } else if self.transactions.hides(header) {
            raw.verify_crc()?;
            Opened::Skip(after)
        } else {
            self.show(raw.open(limits)?, after)
        };
        self.at = after;
        Ok(Some(opened))
    }

    /// The records of a batch from the position on.
    fn show(&self, batch: Batch, after: FetchPosition) -> Opened {
        let mut visible = u32::try_from(batch.header.record_count).unwrap_or(0);
        let mut first = 0;
        for record in batch.records() {
            if record.offset >= self.at.offset {
                break;
            }
            visible = visible.saturating_sub(1);
            first = record.next;
        }
        if visible == 0 {
            return Opened::Skip(after);
        }
        let fetched = FetchedBatch::new(&self.partition, batch, first, visible);
        Opened::Records(Arc::new(fetched))
    }

    /// Ends the walk with an error that names the position.
    fn fail(&mut self, error: &RecordsError) -> Opened {
        self.is_done = true;
        self.next = None;
        Opened::Failed(FetchError::Corrupt {
            partition: self.partition.clone(),
            offset: self.at.offset,
            cause: error.to_string().into(),
        })
    }
}

fn size_of_part(part: &Opened) -> usize {
    match part {
        Opened::Records(batch) => batch.size(),
        Opened::Skip(_) | Opened::Failed(_) => 0,
    }
}

/// The error of a response without any whole batch, although brokers send the first one whole whatever its size
/// (KIP-74). Fetching again would bring the same.
fn cut_short(rest: &Bytes) -> RecordsError {
    const OVERHEAD: usize = 12;
    let stated = rest.get(8..).and_then(<[u8]>::first_chunk).copied();
    let stated = stated.map_or(0, i32::from_be_bytes);
    RecordsError::Truncated {
        needed: usize::try_from(stated).unwrap_or(0) + OVERHEAD,
        available: rest.len(),
    }
}

/// Which producers' transactional batches are hidden at this point of the log.
#[derive(Debug)]
struct AbortedProducers {
    read_committed: bool,
    // Sorted by first offset, latest first, so that the next to begin is popped from the end.
    to_begin: Vec<AbortedTransaction>,
    aborted: HashSet<i64>,
}

impl AbortedProducers {
    fn new(isolation: IsolationLevel, mut aborted: Vec<AbortedTransaction>) -> Self {
        aborted.sort_by_key(|transaction| std::cmp::Reverse(transaction.first_offset));
        Self {
            read_committed: isolation == IsolationLevel::ReadCommitted,
            to_begin: aborted,
            aborted: HashSet::new(),
        }
    }

    fn begin_up_to(&mut self, offset: i64) {
        while let Some(next) = self.to_begin.last()
            && next.first_offset <= offset
        {
            self.aborted.insert(next.producer_id);
            self.to_begin.pop();
        }
    }

    fn hides(&self, header: &BatchHeader) -> bool {
        self.read_committed
            && header.attributes.is_transactional()
            && self.aborted.contains(&header.producer_id)
    }

    /// Notes a marker, which ends the producer's transaction; what follows belongs to its next one.
    fn end(&mut self, producer_id: i64) {
        self.aborted.remove(&producer_id);
    }
}
