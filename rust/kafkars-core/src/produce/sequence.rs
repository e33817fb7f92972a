//! Sequence numbers of an idempotent producer.

use kafkars_records::ProducerFields;

/// A producer id and its epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProducerIdentity {
    /// Kafka's producer id.
    pub id: i64,
    /// Its epoch.
    pub epoch: i16,
}

impl ProducerIdentity {
    /// Returns the next epoch, which a producer without transactions takes by itself (KIP-360); `None` after the last.
    pub fn next_epoch(self) -> Option<Self> {
        let epoch = self.epoch.checked_add(1)?;
        Some(Self { epoch, ..self })
    }
}

/// The sequence number of a batch, under one identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sequence {
    /// The identity the number was given under.
    pub identity: ProducerIdentity,
    /// Sequence of the batch's first record.
    pub base: i32,
}

impl Sequence {
    /// Returns the number of a part that starts `records` into the batch.
    pub fn after(self, records: u32) -> Self {
        Self {
            base: advance(self.base, records),
            ..self
        }
    }

    /// The batch header's fields for this number.
    pub fn producer_fields(self) -> ProducerFields {
        ProducerFields {
            producer_id: self.identity.id,
            producer_epoch: self.identity.epoch,
            base_sequence: self.base,
            ..ProducerFields::default()
        }
    }
}

/// The sequence numbers given on one partition.
#[derive(Debug, Default)]
pub struct PartitionSequence {
    identity: Option<ProducerIdentity>,
    next: i32,
    // Batches numbered so far.
    turns: u64,
    // The producer id under which the broker has stored something here.
    proven: Option<i64>,
    // Whether a batch numbered under `identity` has failed: the broker waits for its number.
    has_gap: bool,
}

impl PartitionSequence {
    /// Numbers a batch of `count` records. A new identity starts at 0, and only when everything numbered before is
    /// `settled`; until then numbers go on under the old one, which brokers accept on a partition where they have not
    /// met the new one.
    pub fn assign(&mut self, identity: ProducerIdentity, count: u32, settled: bool) -> Sequence {
        let identity = match self.identity {
            Some(known) if known == identity || !settled => known,
            _ => {
                self.next = 0;
                self.has_gap = false;
                identity
            }
        };
        self.identity = Some(identity);
        let base = self.next;
        self.next = advance(base, count);
        self.turns += 1;
        Sequence { identity, base }
    }

    /// Returns how many batches were numbered so far.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Returns true if the broker may know nothing of the producer on this partition. It then accepts any sequence
    /// number as the first: if the first batch failed and the second were stored, the first could only come after it,
    /// or be taken for a duplicate.
    pub fn is_unproven(&self) -> bool {
        self.identity
            .is_some_and(|known| self.proven != Some(known.id))
    }

    /// Notes that a batch with a number is not sent again, though it may not be stored.
    pub fn skip(&mut self) {
        self.has_gap = true;
    }

    /// Returns true if the broker may rightly refuse the next number, because it has not got all before it.
    pub fn has_gap(&self) -> bool {
        self.has_gap
    }

    /// Notes that the broker may know nothing of the producer on this partition any more.
    pub fn unprove(&mut self) {
        self.proven = None;
    }

    /// Notes that the broker has stored a batch with this number.
    pub fn prove(&mut self, sequence: Sequence) {
        if self.identity == Some(sequence.identity) {
            self.proven = Some(sequence.identity.id);
        }
    }
}

/// Sequences wrap from `i32::MAX` to 0, never through negative numbers.
fn advance(base: i32, count: u32) -> i32 {
    let next = (i64::from(base) + i64::from(count)) % (i64::from(i32::MAX) + 1);
    i32::try_from(next).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: ProducerIdentity = ProducerIdentity { id: 7, epoch: 0 };
    const NEW: ProducerIdentity = ProducerIdentity { id: 7, epoch: 1 };

    #[test]
    fn batches_are_numbered_without_gaps() {
        let mut sequence = PartitionSequence::default();
        assert_eq!(sequence.assign(OLD, 10, true).base, 0);
        assert_eq!(sequence.assign(OLD, 1, false).base, 10);
        assert_eq!(sequence.assign(OLD, 1, true).base, 11);
    }

    #[test]
    fn a_new_identity_waits_until_all_is_settled_and_starts_at_zero() {
        let mut sequence = PartitionSequence::default();
        sequence.assign(OLD, 10, true);
        let unsettled = sequence.assign(NEW, 5, false);
        assert_eq!((unsettled.identity, unsettled.base), (OLD, 10));
        let settled = sequence.assign(NEW, 5, true);
        assert_eq!((settled.identity, settled.base), (NEW, 0));
    }

    #[test]
    fn numbers_wrap_to_zero() {
        assert_eq!(advance(i32::MAX, 1), 0);
        assert_eq!(advance(i32::MAX - 1, 3), 1);
    }
}
