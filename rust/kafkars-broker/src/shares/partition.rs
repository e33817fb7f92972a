//! One partition as a share group reads it: it knows which records are in flight to which member, and how often each
//! was delivered (KIP-932).

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::share_fetch::AcquiredRecords;

use super::acknowledgement::{AcknowledgeType, ShareAcknowledgement};

/// The progress of a share group in one partition. Records from `start` to before `next` are in flight: in ranges
/// without gaps, in order. Those before are done, those after untouched.
#[derive(Debug)]
pub(crate) struct SharePartition {
    start: i64,
    next: i64,
    ranges: BTreeMap<i64, AcquiredRange>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct AcquiredRange {
    last: i64,
    state: RecordState,
    /// The number of times that the range's records were given to a member.
    deliveries: i16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum RecordState {
    Available,
    /// A member has it until then, unless it says sooner what became of it.
    Acquired {
        member: Arc<str>,
        until: i64,
    },
    /// Acknowledged, or archived because nobody is to have it again.
    Done,
}

/// The limits that a group sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShareLimits {
    /// The time that a member may keep a record (`share.record.lock.duration.ms`).
    pub(crate) lock_ms: i64,
    /// The most times that a record is given out (`share.delivery.count.limit`).
    pub(crate) deliveries: i16,
    /// Records that may be in flight (`share.partition.max.record.locks`).
    pub(crate) in_flight: i64,
}

/// A batch of the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// True if its transaction was aborted and the group wants committed records only.
    pub(crate) aborted: bool,
}

/// The demand of a member for records.
#[derive(Debug)]
pub(crate) struct Demand<'a> {
    pub(crate) member: &'a str,
    pub(crate) max_records: i64,
    /// Records that may be told as one stretch.
    pub(crate) batch_size: i64,
    /// True if a batch may be cut to keep to `max_records`.
    pub(crate) exact: bool,
}

impl SharePartition {
    pub(crate) fn new(start: i64) -> Self {
        Self {
            start,
            next: start,
            ranges: BTreeMap::new(),
        }
    }

    /// The first record that is not done: what `DescribeShareGroupOffsets` tells.
    pub(crate) fn start(&self) -> i64 {
        self.start
    }

    /// Records that are still to be handled, up to the end of the log.
    pub(crate) fn lag(&self, end: i64) -> i64 {
        let done = self
            .ranges
            .iter()
            .filter(|(_, range)| range.state == RecordState::Done);
        let done: i64 = done.map(|(first, range)| range.last - first + 1).sum();
        (end - self.start - done).max(0)
    }

    /// Takes back what members have had for too long, and forgets what is gone from the log.
    pub(crate) fn advance(&mut self, now: i64, log_start: i64, limits: ShareLimits) {
        for range in self.ranges.values_mut() {
            if matches!(range.state, RecordState::Acquired { until, .. } if until <= now) {
                range.release(limits);
            }
        }
        if log_start > self.start {
            self.split(log_start);
            self.ranges = self.ranges.split_off(&log_start);
            self.start = log_start;
            self.next = self.next.max(log_start);
        }
        self.forget_done();
    }

    /// The time when the first member will have had a record for too long.
    pub(crate) fn deadline(&self) -> Option<i64> {
        let until = |range: &AcquiredRange| match range.state {
            RecordState::Acquired { until, .. } => Some(until),
            _ => None,
        };
        self.ranges.values().filter_map(until).min()
    }

    /// The offset to read the log at for records for a member; none while too many are in flight.
    pub(crate) fn next_offset(&self, limits: ShareLimits) -> Option<i64> {
        let available = |(_, range): &(&i64, &AcquiredRange)| range.state == RecordState::Available;
        match self.ranges.iter().find(available) {
            Some((first, _)) => Some(*first),
            None if self.next - self.start >= limits.in_flight => None,
            None => Some(self.next),
        }
    }

    /// Gives a member what it may have of these batches of the log.
    pub(crate) fn acquire(
        &mut self,
        demand: &Demand<'_>,
        batches: impl Iterator<Item = Stretch>,
        now: i64,
        limits: ShareLimits,
    ) -> Vec<AcquiredRecords> {
        let owner: Arc<str> = Arc::from(demand.member);
        let acquired = RecordState::Acquired {
            member: owner,
            until: now.saturating_add(limits.lock_ms),
        };
        let mut told: Vec<AcquiredRecords> = Vec::new();
        let mut left = demand.max_records;
        for Stretch {
            first: base,
            last,
            aborted,
        } in batches
        {
            if left <= 0 {
                break;
            }
            self.note(base, last, limits);
            if aborted {
                self.archive(base, last);
                continue;
            }
            for first in self.available(base, last) {
                if left <= 0 {
                    break;
                }
                if demand.exact {
                    self.split(first.saturating_add(left));
                }
                let Some(range) = self.ranges.get_mut(&first) else {
                    continue;
                };
                range.state = acquired.clone();
                range.deliveries += 1;
                left -= range.last - first + 1;
                tell(&mut told, first, range, demand.batch_size);
            }
        }
        self.forget_done();
        told
    }

    /// Makes the records of a batch that nobody has had yet available.
    fn note(&mut self, base: i64, last: i64, limits: ShareLimits) {
        if last < self.next || self.next - self.start >= limits.in_flight {
            return;
        }
        if base > self.next {
            // Nothing is there: compaction has removed it.
            self.insert(self.next, base - 1, RecordState::Done);
        }
        self.insert(base.max(self.next), last, RecordState::Available);
        self.next = last + 1;
    }

    fn insert(&mut self, first: i64, last: i64, state: RecordState) {
        let deliveries = 0;
        self.ranges.insert(
            first,
            AcquiredRange {
                last,
                state,
                deliveries,
            },
        );
    }

    /// First offsets of the available ranges within a batch, cut to it.
    fn available(&mut self, base: i64, last: i64) -> Vec<i64> {
        self.split(base);
        self.split(last + 1);
        let within = self.ranges.range(base..=last);
        within
            .filter(|(_, range)| range.state == RecordState::Available)
            .map(|(first, _)| *first)
            .collect()
    }

    /// Takes the acknowledgements of a member for records that it has. All of them hold, or none.
    pub(crate) fn acknowledge(
        &mut self,
        member: &str,
        acknowledgements: &[ShareAcknowledgement],
        now: i64,
        limits: ShareLimits,
    ) -> Result<(), ErrorCode> {
        for said in acknowledgements {
            self.check(member, said)?;
        }
        for said in acknowledgements {
            self.split(said.first);
            self.split(said.last + 1);
            for (_, range) in self.ranges.range_mut(said.first..=said.last) {
                match (said.kind, &mut range.state) {
                    (
                        AcknowledgeType::Accept | AcknowledgeType::Reject | AcknowledgeType::Gap,
                        state,
                    ) => {
                        *state = RecordState::Done;
                    }
                    (AcknowledgeType::Release, _) => range.release(limits),
                    (AcknowledgeType::Renew, RecordState::Acquired { until, .. }) => {
                        *until = now.saturating_add(limits.lock_ms);
                    }
                    (AcknowledgeType::Renew, _) => {}
                }
            }
        }
        self.forget_done();
        Ok(())
    }

    /// Checks that records are this member's. What was done and forgotten already is said too late and does no harm.
    fn check(&mut self, member: &str, said: &ShareAcknowledgement) -> Result<(), ErrorCode> {
        if said.last >= self.next {
            return Err(ErrorCode::InvalidRequest);
        }
        self.split(said.first);
        self.split(said.last + 1);
        let own = |range: &AcquiredRange| matches!(&range.state, RecordState::Acquired { member: owner, .. } if **owner == *member);
        let mut within = self.ranges.range(said.first..=said.last);
        if within.all(|(_, range)| own(range)) {
            Ok(())
        } else {
            Err(ErrorCode::InvalidRecordState)
        }
    }

    /// Lets other members have what a member had that is gone; returns true if it had something.
    pub(crate) fn release_all(&mut self, member: &str, limits: ShareLimits) -> bool {
        let mut released = false;
        for range in self.ranges.values_mut() {
            if matches!(&range.state, RecordState::Acquired { member: owner, .. } if **owner == *member)
            {
                range.release(limits);
                released = true;
            }
        }
        self.forget_done();
        released
    }

    /// Takes out the records that nobody is to have, from `first` to `last`: their transaction was aborted.
    fn archive(&mut self, first: i64, last: i64) {
        for offset in self.available(first, last) {
            if let Some(range) = self.ranges.get_mut(&offset) {
                range.state = RecordState::Done;
            }
        }
    }

    /// Makes a range begin at `offset`, if one holds it.
    fn split(&mut self, offset: i64) {
        let Some((_, range)) = self.ranges.range_mut(..offset).next_back() else {
            return;
        };
        if range.last >= offset {
            let rest = range.clone();
            range.last = offset - 1;
            self.ranges.insert(offset, rest);
        }
    }

    fn forget_done(&mut self) {
        while let Some(entry) = self.ranges.first_entry() {
            if entry.get().state != RecordState::Done {
                break;
            }
            self.start = entry.remove().last + 1;
        }
    }
}

impl AcquiredRange {
    /// Makes the range available again, unless it was given out often enough.
    fn release(&mut self, limits: ShareLimits) {
        self.state = if self.deliveries >= limits.deliveries {
            RecordState::Done
        } else {
            RecordState::Available
        };
    }
}

/// Tells of a range; ranges with the same number of deliveries are told as one, up to the size that the member wants.
fn tell(told: &mut Vec<AcquiredRecords>, first: i64, range: &AcquiredRange, batch_size: i64) {
    if let Some(before) = told.last_mut()
        && before.last_offset + 1 == first
        && before.delivery_count == range.deliveries
        && range.last - before.first_offset < batch_size
    {
        before.last_offset = range.last;
        return;
    }
    told.push(AcquiredRecords {
        first_offset: first,
        last_offset: range.last,
        delivery_count: range.deliveries,
    });
}
