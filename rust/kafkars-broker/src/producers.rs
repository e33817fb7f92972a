//! A partition remembers idempotent and transactional producers, to refuse gaps, to recognise batches that it already
//! has, and to know which transactions are open (KIP-98).

use std::collections::{BTreeMap, HashMap, VecDeque};

use kafkars_protocol::ErrorCode;
use kafkars_records::{BatchHeader, TransactionMarker};

/// Batches remembered of each producer: as many as a producer may have in flight.
const BATCHES_REMEMBERED: usize = 5;

/// Producers remembered by one partition. Kafka forgets them after a day; a test that makes more than this in less is
/// hostile.
const PRODUCERS_REMEMBERED: usize = 10_000;

/// The producers of one partition, by id.
#[derive(Debug, Default)]
pub(crate) struct Producers {
    by_id: HashMap<i64, ProducerStateEntry>,
    /// Open transactions: the offset of the first record of each, with the producer.
    open: BTreeMap<i64, i64>,
    appends: u64,
}

#[derive(Debug)]
struct ProducerStateEntry {
    epoch: i16,
    batches: VecDeque<Appended>,
    /// Offset of the first record of its open transaction.
    transaction_start: Option<i64>,
    /// Epoch of the coordinator that wrote the latest marker, -1 before the first.
    coordinator_epoch: i32,
    /// Timestamp of its latest batch or marker.
    timestamp: i64,
    /// The time of the producer's last append, counted in appends.
    used: u64,
}

/// A batch that is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Appended {
    first_sequence: i32,
    last_sequence: i32,
    /// The offset of the first record.
    pub(crate) base_offset: i64,
    /// Time of appending where the topic has log-append time, else none.
    pub(crate) append_time: Option<i64>,
}

/// A producer as `DescribeProducers` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DescribedProducer {
    pub(crate) id: i64,
    pub(crate) epoch: i16,
    /// The last sequence number, -1 when the epoch has no batch yet.
    pub(crate) last_sequence: i32,
    pub(crate) timestamp: i64,
    pub(crate) coordinator_epoch: i32,
    pub(crate) transaction_start: Option<i64>,
}

/// The outcome of the check of a batch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AppendCheck {
    Append,
    /// The batch is in the log already: its answer got lost, and is given again.
    Duplicate(Appended),
    Refuse(ErrorCode),
}

impl Producers {
    /// Checks a batch by its producer fields. Batches of producers that are not idempotent are always appended.
    pub(crate) fn check(&self, batch: &BatchHeader) -> AppendCheck {
        if batch.producer_id < 0 {
            return AppendCheck::Append;
        }
        // Whoever is not known starts anywhere: the state may have gone with deleted records (KIP-360).
        let Some(producer) = self.by_id.get(&batch.producer_id) else {
            return AppendCheck::Append;
        };
        if batch.producer_epoch < producer.epoch {
            return AppendCheck::Refuse(ErrorCode::InvalidProducerEpoch);
        }
        if batch.producer_epoch > producer.epoch {
            return match batch.base_sequence {
                0 => AppendCheck::Append,
                _ => AppendCheck::Refuse(ErrorCode::OutOfOrderSequenceNumber),
            };
        }
        let last_sequence = advance(batch.base_sequence, batch.last_offset_delta);
        let same = |known: &&Appended| {
            known.first_sequence == batch.base_sequence && known.last_sequence == last_sequence
        };
        if let Some(known) = producer.batches.iter().find(same) {
            return AppendCheck::Duplicate(*known);
        }
        // The marker that ended a transaction may have started this epoch (KIP-890): then it has no sequence yet.
        let next = producer
            .batches
            .back()
            .map_or(0, |latest| advance(latest.last_sequence, 1));
        if batch.base_sequence != next {
            return AppendCheck::Refuse(ErrorCode::OutOfOrderSequenceNumber);
        }
        if producer.transaction_start.is_some() && !batch.attributes.is_transactional() {
            return AppendCheck::Refuse(ErrorCode::InvalidTxnState);
        }
        AppendCheck::Append
    }

    /// Epoch of each producer and, once it has one, the offset of the last record of its last batch.
    pub(crate) fn last_batches(&self) -> HashMap<i64, (i16, Option<i64>)> {
        let last = |producer: &ProducerStateEntry| {
            let batch = producer.batches.back()?;
            let more = i64::from(batch.last_sequence) - i64::from(batch.first_sequence);
            // Sequences go from the largest number back to 0.
            Some(batch.base_offset + more.rem_euclid(1 << 31))
        };
        let producers = self.by_id.iter();
        producers
            .map(|(id, producer)| (*id, (producer.epoch, last(producer))))
            .collect()
    }

    /// True if a producer has a transaction open here under this epoch: then its records need no check by the
    /// coordinator.
    pub(crate) fn is_in_transaction(&self, producer_id: i64, producer_epoch: i16) -> bool {
        self.by_id.get(&producer_id).is_some_and(|producer| {
            producer.epoch == producer_epoch && producer.transaction_start.is_some()
        })
    }

    /// Offset of the first record of the oldest open transaction.
    pub(crate) fn first_unstable_offset(&self) -> Option<i64> {
        self.open.first_key_value().map(|(offset, _)| *offset)
    }

    /// Judges a marker by its epochs. Under KIP-890 it must come in a later epoch than the records it ends.
    pub(crate) fn check_marker(
        &self,
        marker: &TransactionMarker,
        bumped: bool,
    ) -> Result<(), ErrorCode> {
        let Some(producer) = self.by_id.get(&marker.producer_id) else {
            return Ok(());
        };
        let stale = marker.producer_epoch < producer.epoch
            || bumped
                && marker.producer_epoch == producer.epoch
                && producer.transaction_start.is_some();
        if stale {
            return Err(ErrorCode::InvalidProducerEpoch);
        }
        if marker.coordinator_epoch < producer.coordinator_epoch {
            return Err(ErrorCode::TransactionCoordinatorFenced);
        }
        Ok(())
    }

    /// Takes note of a marker that has been appended, and gives the offset of the first record it ends, if there is
    /// one.
    pub(crate) fn end_transaction(&mut self, marker: &TransactionMarker) -> Option<i64> {
        let (id, epoch) = (marker.producer_id, marker.producer_epoch);
        let producer = self.appended(id, epoch, marker.timestamp);
        producer.coordinator_epoch = marker.coordinator_epoch;
        let start = producer.transaction_start.take();
        if let Some(start) = start {
            self.open.remove(&start);
        }
        self.limit();
        start
    }

    /// Every producer that is remembered, for `DescribeProducers`.
    pub(crate) fn describe(&self) -> Vec<DescribedProducer> {
        let mut active: Vec<DescribedProducer> = self
            .by_id
            .iter()
            .map(|(id, producer)| DescribedProducer {
                id: *id,
                epoch: producer.epoch,
                last_sequence: producer
                    .batches
                    .back()
                    .map_or(-1, |latest| latest.last_sequence),
                timestamp: producer.timestamp,
                coordinator_epoch: producer.coordinator_epoch,
                transaction_start: producer.transaction_start,
            })
            .collect();
        active.sort_unstable_by_key(|producer| producer.id);
        active
    }

    /// Remembers a batch that has been appended.
    pub(crate) fn remember(
        &mut self,
        batch: &BatchHeader,
        base_offset: i64,
        append_time: Option<i64>,
    ) {
        if batch.producer_id < 0 {
            return;
        }
        let (id, epoch) = (batch.producer_id, batch.producer_epoch);
        let producer = self.appended(id, epoch, batch.max_timestamp);
        let begins = batch.attributes.is_transactional() && producer.transaction_start.is_none();
        if begins {
            producer.transaction_start = Some(base_offset);
        }
        if producer.batches.len() == BATCHES_REMEMBERED {
            producer.batches.pop_front();
        }
        producer.batches.push_back(Appended {
            first_sequence: batch.base_sequence,
            last_sequence: advance(batch.base_sequence, batch.last_offset_delta),
            base_offset,
            append_time,
        });
        if begins {
            self.open.insert(base_offset, id);
        }
        self.limit();
    }

    /// The producer of a batch or a marker that has been appended. In a new epoch its sequences begin anew.
    fn appended(&mut self, id: i64, epoch: i16, timestamp: i64) -> &mut ProducerStateEntry {
        self.appends += 1;
        let made = || ProducerStateEntry::new(epoch);
        let producer = self.by_id.entry(id).or_insert_with(made);
        if producer.epoch != epoch {
            producer.epoch = epoch;
            producer.batches.clear();
        }
        producer.used = self.appends;
        producer.timestamp = timestamp;
        producer
    }

    /// Forgets many producers at once, so that the cost of looking for the oldest is spread over many appends. Who has
    /// a transaction open stays: it holds back what others may read, and the coordinator limits how many there are.
    fn limit(&mut self) {
        if self.by_id.len() - self.open.len().min(self.by_id.len()) <= PRODUCERS_REMEMBERED {
            return;
        }
        let mut used: Vec<u64> = self.by_id.values().map(|producer| producer.used).collect();
        let middle = used.len() / 2;
        let (_, median, _) = used.select_nth_unstable(middle);
        let median = *median;
        self.by_id
            .retain(|_, producer| producer.used >= median || producer.transaction_start.is_some());
    }
}

impl ProducerStateEntry {
    fn new(epoch: i16) -> Self {
        Self {
            epoch,
            batches: VecDeque::new(),
            transaction_start: None,
            coordinator_epoch: -1,
            timestamp: -1,
            used: 0,
        }
    }
}

/// Adds to a sequence number, which wraps around to 0 after the largest one.
fn advance(sequence: i32, by: i32) -> i32 {
    (sequence.wrapping_add(by)) & i32::MAX
}

#[cfg(test)]
mod tests {
    use kafkars_records::{BatchBuilder, Compression, ProducerFields, batches};

    use super::*;

    fn header(producer_epoch: i16, base_sequence: i32, records: i32) -> BatchHeader {
        let mut batch = BatchBuilder::new(0);
        for _ in 0..records {
            batch.append(0, None, Some(b"x"), &[]);
        }
        let fields = ProducerFields {
            producer_id: 7,
            producer_epoch,
            base_sequence,
            transactional: false,
        };
        let sealed = batch.seal(Compression::default(), fields).unwrap();
        batches(sealed.bytes).next().unwrap().unwrap().header
    }

    fn with(batches: &[(i16, i32, i32)]) -> Producers {
        let mut producers = Producers::default();
        for (index, (epoch, sequence, records)) in batches.iter().enumerate() {
            producers.remember(
                &header(*epoch, *sequence, *records),
                100 + index as i64,
                None,
            );
        }
        producers
    }

    fn offset_of_duplicate(check: AppendCheck) -> Option<i64> {
        match check {
            AppendCheck::Duplicate(known) => Some(known.base_offset),
            _ => None,
        }
    }

    #[test]
    fn the_next_sequence_is_appended() {
        let producers = with(&[(0, 0, 3)]);
        assert_eq!(producers.check(&header(0, 3, 1)), AppendCheck::Append);
    }

    #[test]
    fn a_gap_is_refused() {
        let producers = with(&[(0, 0, 3)]);
        assert_eq!(
            producers.check(&header(0, 4, 1)),
            AppendCheck::Refuse(ErrorCode::OutOfOrderSequenceNumber)
        );
    }

    #[test]
    fn the_last_five_batches_are_recognised_and_no_more() {
        let producers = with(&[
            (0, 0, 1),
            (0, 1, 1),
            (0, 2, 1),
            (0, 3, 1),
            (0, 4, 1),
            (0, 5, 1),
        ]);
        for sequence in 1..=5 {
            let check = producers.check(&header(0, sequence, 1));
            assert_eq!(offset_of_duplicate(check), Some(100 + i64::from(sequence)));
        }
        assert_eq!(
            producers.check(&header(0, 0, 1)),
            AppendCheck::Refuse(ErrorCode::OutOfOrderSequenceNumber)
        );
    }

    #[test]
    fn a_new_epoch_starts_at_zero_and_fences_the_old() {
        let mut producers = with(&[(0, 0, 3)]);
        assert_eq!(
            producers.check(&header(1, 3, 1)),
            AppendCheck::Refuse(ErrorCode::OutOfOrderSequenceNumber)
        );
        assert_eq!(producers.check(&header(1, 0, 1)), AppendCheck::Append);
        producers.remember(&header(1, 0, 1), 200, None);
        assert_eq!(
            producers.check(&header(0, 3, 1)),
            AppendCheck::Refuse(ErrorCode::InvalidProducerEpoch)
        );
    }

    #[test]
    fn sequences_wrap_to_zero() {
        let producers = with(&[(0, i32::MAX - 1, 2)]);
        assert_eq!(producers.check(&header(0, 0, 1)), AppendCheck::Append);
        let producers = with(&[(0, i32::MAX, 3)]);
        assert_eq!(producers.check(&header(0, 2, 1)), AppendCheck::Append);
        assert_eq!(
            offset_of_duplicate(producers.check(&header(0, i32::MAX, 3))),
            Some(100)
        );
    }

    #[test]
    fn an_unknown_producer_may_start_anywhere() {
        assert_eq!(
            Producers::default().check(&header(3, 42, 1)),
            AppendCheck::Append
        );
    }

    #[test]
    fn memory_of_producers_is_bounded() {
        let mut producers = Producers::default();
        let mut batch = header(0, 0, 1);
        for id in 0..3 * PRODUCERS_REMEMBERED as i64 {
            batch.producer_id = id;
            producers.remember(&batch, id, None);
        }
        assert!(producers.by_id.len() <= PRODUCERS_REMEMBERED);
        assert!(producers.by_id.contains_key(&batch.producer_id));
    }
}
