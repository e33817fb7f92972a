//! One partition's batches and their offsets, in memory.

pub(crate) mod file;
pub(crate) mod folder;
pub(crate) mod search;
mod segment;

use std::collections::VecDeque;

use bytes::Bytes;

use crate::append_validation::IncomingBatch;
use segment::Segment;

/// The first segment of a log is this large, and each next one twice the last, so that a small topic costs little.
const SMALLEST_SEGMENT: usize = 16 * 1024;
/// Largest segment. A read ends with its segment, so it also bounds how much one fetch takes from one partition.
const LARGEST_SEGMENT: usize = 4 * 1024 * 1024;

/// Positions of these fields in a batch.
const BASE_OFFSET_AT: usize = 0;
const LEADER_EPOCH_AT: usize = 12;

/// Batches in order of their offsets. The high watermark is always the end: the replicas of an in-memory cluster are
/// never behind.
#[derive(Debug)]
pub(crate) struct Log {
    /// The segments, each with the position in the log at which it starts; only the last is open.
    segments: VecDeque<(u64, Segment)>,
    batches: VecDeque<BatchEntry>,
    start_offset: i64,
    end_offset: i64,
    end_position: u64,
    retention_bytes: Option<u64>,
}

/// An entry of the index: where a batch stands, and what is asked of it without reading it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchEntry {
    pub(crate) base_offset: i64,
    pub(crate) last_offset: i64,
    pub(crate) max_timestamp: i64,
    pub(crate) leader_epoch: i32,
    length: u32,
    /// Bytes appended to the log before it.
    position: u64,
}

/// The offset asked for is not in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OffsetOutOfRange;

impl Log {
    pub(crate) fn new(retention_bytes: Option<u64>) -> Self {
        Self {
            segments: VecDeque::new(),
            batches: VecDeque::new(),
            start_offset: 0,
            end_offset: 0,
            end_position: 0,
            retention_bytes,
        }
    }

    /// Sets how many bytes are kept from now on; none: everything.
    pub(crate) fn set_retention_bytes(&mut self, bytes: Option<u64>) {
        self.retention_bytes = bytes;
    }

    /// The offset of the first record that can be read.
    pub(crate) fn start_offset(&self) -> i64 {
        self.start_offset
    }

    /// The offset that the next record will get; also the high watermark.
    pub(crate) fn end_offset(&self) -> i64 {
        self.end_offset
    }

    /// Bytes of the batches that can be read.
    pub(crate) fn size(&self) -> u64 {
        let first = self.batches.front();
        first.map_or(0, |entry| self.end_position - entry.position)
    }

    /// The batches that can be read, in order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &BatchEntry> {
        self.batches.iter()
    }

    /// The batches that end at `offset` or later, in order.
    pub(crate) fn entries_from(&self, offset: i64) -> impl Iterator<Item = &BatchEntry> {
        self.batches.range(self.find(offset)..)
    }

    /// Appends a batch under the next offsets and returns the first of them.
    ///
    /// The bytes are kept as they came but for base offset and leader epoch, which the CRC does not cover.
    pub(crate) fn append(&mut self, batch: &IncomingBatch, leader_epoch: i32) -> i64 {
        let base_offset = self.end_offset;
        let bytes = batch.raw.bytes();
        let copy = self.segment_for(bytes.len()).append(bytes);
        put(copy, BASE_OFFSET_AT, &base_offset.to_be_bytes());
        put(copy, LEADER_EPOCH_AT, &leader_epoch.to_be_bytes());
        let last_offset = base_offset + i64::from(batch.raw.header.last_offset_delta);
        self.batches.push_back(BatchEntry {
            base_offset,
            last_offset,
            max_timestamp: batch.max_timestamp,
            leader_epoch,
            length: bytes.len() as u32,
            position: self.end_position,
        });
        self.end_offset = last_offset + 1;
        self.end_position += bytes.len() as u64;
        base_offset
    }

    /// Appends a batch where it stood before a restart; what is missing in front of it was deleted or compacted.
    pub(crate) fn restore(&mut self, batch: &IncomingBatch) {
        self.restore_end(batch.raw.header.base_offset);
        self.append(batch, batch.raw.header.partition_leader_epoch);
    }

    /// Lets the next record get this offset at least. An empty log then begins there.
    pub(crate) fn restore_end(&mut self, offset: i64) {
        self.end_offset = self.end_offset.max(offset);
        if self.batches.is_empty() {
            self.start_offset = self.start_offset.max(offset);
        }
    }

    /// Bytes from the batch that holds `offset` to the last one before `before`: what a reader with no limit would get.
    pub(crate) fn available(&self, offset: i64, before: i64) -> u64 {
        match self.batches.get(self.find(offset)) {
            Some(entry) => self.position_of(before).saturating_sub(entry.position),
            None => 0,
        }
    }

    /// The position of the first batch that ends at or after `offset`; the end, when there is none.
    fn position_of(&self, offset: i64) -> u64 {
        match self.batches.get(self.find(offset)) {
            Some(entry) => entry.position,
            None => self.end_position,
        }
    }

    /// Reads whole batches from the one that holds `offset` on, up to `max_bytes`, and at least one if `at_least_one`.
    ///
    /// The first batch may begin before `offset`: batches are never cut, and clients skip what they did not ask for.
    pub(crate) fn read(
        &mut self,
        offset: i64,
        max_bytes: usize,
        at_least_one: bool,
    ) -> Result<Bytes, OffsetOutOfRange> {
        self.read_before(offset, i64::MAX, max_bytes, at_least_one)
    }

    /// Reads like `read`, but nothing from `before` on, which must be the first offset of a batch or the end.
    pub(crate) fn read_before(
        &mut self,
        offset: i64,
        before: i64,
        max_bytes: usize,
        at_least_one: bool,
    ) -> Result<Bytes, OffsetOutOfRange> {
        if offset < self.start_offset || offset > self.end_offset {
            return Err(OffsetOutOfRange);
        }
        if offset >= before {
            return Ok(Bytes::new());
        }
        let past_end = self.position_of(before);
        let first = self.find(offset);
        let Some(entry) = self.batches.get(first).copied() else {
            return Ok(Bytes::new());
        };
        // Compaction may have removed everything between: at least one batch is read only where there is one.
        if entry.position >= past_end {
            return Ok(Bytes::new());
        }
        let index = self
            .segments
            .partition_point(|(start, _)| *start <= entry.position)
            .saturating_sub(1);
        let Some((segment_start, segment)) = self.segments.get_mut(index) else {
            return Ok(Bytes::new());
        };
        let segment_end = *segment_start + segment.len() as u64;
        let limit = segment_end
            .min(past_end)
            .min(entry.position.saturating_add(max_bytes as u64));
        let past = self
            .batches
            .partition_point(|entry| entry.position + u64::from(entry.length) <= limit);
        let end = match past.checked_sub(1).filter(|last| *last >= first) {
            Some(last) => self.batches[last].position + u64::from(self.batches[last].length),
            None if at_least_one => entry.position + u64::from(entry.length),
            None => return Ok(Bytes::new()),
        };
        Ok(segment
            .read((entry.position - *segment_start) as usize..(end - *segment_start) as usize))
    }

    /// Reads one batch, as it stands in the log.
    pub(crate) fn read_entry(&mut self, entry: &BatchEntry) -> Bytes {
        self.read(entry.last_offset, 0, true).unwrap_or_default()
    }

    /// Forgets what is before `offset` and returns the new start; offsets are never moved back.
    pub(crate) fn delete_before(&mut self, offset: i64) -> i64 {
        self.start_offset = self.start_offset.max(offset.min(self.end_offset));
        while self
            .batches
            .front()
            .is_some_and(|entry| entry.last_offset < self.start_offset)
        {
            self.batches.pop_front();
        }
        let kept_from = self
            .batches
            .front()
            .map_or(self.end_position, |entry| entry.position);
        while self
            .segments
            .front()
            .is_some_and(|(start, segment)| start + segment.len() as u64 <= kept_from)
        {
            self.segments.pop_front();
        }
        self.start_offset
    }

    /// The offset to delete up to, so that nothing is left at the beginning that is older than `timestamp`.
    pub(crate) fn first_since(&self, timestamp: i64) -> i64 {
        let first = self
            .batches
            .iter()
            .find(|entry| entry.max_timestamp >= timestamp || entry.max_timestamp < 0);
        self.begins_with(first)
    }

    /// The offset to delete up to, so that no more is left than has to be for `keep` bytes.
    pub(crate) fn first_of_last(&self, keep: u64) -> i64 {
        let first = self
            .batches
            .iter()
            .find(|entry| self.end_position - entry.position - u64::from(entry.length) < keep);
        self.begins_with(first)
    }

    fn begins_with(&self, first: Option<&BatchEntry>) -> i64 {
        first.map_or(self.end_offset, |entry| {
            entry.base_offset.max(self.start_offset)
        })
    }

    /// Replaces the bytes of batches, and drops the batches that are not given.
    pub(crate) fn replace(&mut self, kept: VecDeque<(BatchEntry, Bytes)>) {
        self.batches.clear();
        self.segments.clear();
        for (entry, bytes) in kept {
            self.segment_for(bytes.len()).append(&bytes);
            self.batches.push_back(BatchEntry {
                length: bytes.len() as u32,
                position: self.end_position,
                ..entry
            });
            self.end_position += bytes.len() as u64;
        }
    }

    /// Index of the first batch that ends at or after `offset`.
    fn find(&self, offset: i64) -> usize {
        self.batches
            .partition_point(|entry| entry.last_offset < offset)
    }

    /// The open segment, or a new one when the batch does not fit.
    fn segment_for(&mut self, length: usize) -> &mut Segment {
        let fits = self
            .segments
            .back()
            .is_some_and(|(_, segment)| segment.has_room_for(length));
        if !fits {
            let mut capacity = SMALLEST_SEGMENT;
            if let Some((_, full)) = self.segments.back_mut() {
                full.seal();
                capacity = (full.len() * 2).clamp(SMALLEST_SEGMENT, LARGEST_SEGMENT);
            }
            self.retain();
            let segment = Segment::with_capacity(capacity.max(length));
            self.segments.push_back((self.end_position, segment));
        }
        let last = self.segments.len() - 1;
        &mut self.segments[last].1
    }

    /// `retention.bytes`: like Kafka, drops whole old segments while what stays is still as much as is to be kept.
    fn retain(&mut self) {
        let Some(keep) = self.retention_bytes else {
            return;
        };
        while let Some((start, segment)) = self.segments.front() {
            let end = start + segment.len() as u64;
            if self.end_position - end < keep {
                return;
            }
            let first_kept = self.batches.partition_point(|entry| entry.position < end);
            let offset = self
                .batches
                .get(first_kept)
                .map_or(self.end_offset, |entry| entry.base_offset);
            self.delete_before(offset);
        }
    }
}

fn put(batch: &mut [u8], at: usize, value: &[u8]) {
    if let Some(space) = batch.get_mut(at..at + value.len()) {
        space.copy_from_slice(value);
    }
}
