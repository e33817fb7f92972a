//! A partition's log: what was written to it, and the bytes that a broker keeps of it.

use std::collections::BTreeMap;

use bytes::Bytes;
use kafkars_records::{
    BatchBuilder, Codec, LegacyFormat, LegacySetBuilder, ProducerFields, RawBatch, ReadLimits,
    TransactionMarker, batches,
};

use crate::chance::Chance;

const CODECS: [Codec; 5] = [
    Codec::None,
    Codec::Gzip,
    Codec::Snappy,
    Codec::Lz4,
    Codec::Zstd,
];
const LEGACY_CODECS: [Codec; 4] = [Codec::None, Codec::Gzip, Codec::Snappy, Codec::Lz4];

/// Records of one batch, or a marker, with its bytes.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) base: i64,
    pub(crate) last: i64,
    /// Leader epoch, or -1 where batches had none yet.
    pub(crate) epoch: i32,
    pub(crate) bytes: Bytes,
    pub(crate) marker_of: Option<i64>,
}

/// One record that is still in the log.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) offset: i64,
    pub(crate) value: String,
    /// Index in [`Log::transactions`].
    pub(crate) transaction: Option<usize>,
}

/// A transaction in this partition.
#[derive(Debug, Clone)]
pub(crate) struct Transaction {
    pub(crate) producer: i64,
    pub(crate) first: i64,
    pub(crate) end: Option<End>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) marker: i64,
    pub(crate) committed: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    pub(crate) entries: Vec<Entry>,
    pub(crate) records: Vec<Written>,
    pub(crate) transactions: Vec<Transaction>,
    /// The first offset kept; it may stand within a batch.
    pub(crate) start: i64,
    /// The offset after the last one.
    pub(crate) end: i64,
    epoch: i32,
    open: BTreeMap<i64, usize>,
}

impl Log {
    pub(crate) fn generate(chance: &mut Chance) -> Self {
        let mut log = Self::default();
        if chance.once_in(3) {
            for format in [LegacyFormat::Magic0, LegacyFormat::Magic1] {
                for _ in 0..chance.below(3) {
                    log.append_legacy(format, chance);
                }
            }
        }
        let producers = 1 + chance.below(4) as i64;
        for _ in 0..3 + chance.below(14) {
            // Leaders change, most often where nothing but a marker is written.
            log.epoch += i32::from(chance.once_in(3));
            let producer = 100 + chance.below(producers as usize) as i64;
            match chance.below(8) {
                0 | 1 => log.append(None, chance),
                2..=4 => log.append(Some(producer), chance),
                _ => log.end_transaction(producer, chance),
            }
        }
        if chance.once_in(3) {
            log.compact(chance);
        }
        if chance.once_in(3) {
            log.start = chance.below(log.end as usize + 1) as i64;
        }
        log
    }

    /// The first offset of an open transaction, or the end.
    pub(crate) fn last_stable(&self) -> i64 {
        let open = self.transactions.iter().filter(|one| one.end.is_none());
        open.map(|one| one.first).min().unwrap_or(self.end)
    }

    /// Leader epoch of the offset before a position.
    pub(crate) fn epoch_before(&self, position: i64) -> i32 {
        let holds = |entry: &&Entry| entry.base < position && position <= entry.last + 1;
        let entry = self.entries.iter().find(holds);
        entry.map_or(-1, |entry| entry.epoch)
    }

    fn values(&self, count: usize) -> Vec<String> {
        (0..count as i64)
            .map(|index| format!("value {}", self.end + index))
            .collect()
    }

    fn append(&mut self, producer: Option<i64>, chance: &mut Chance) {
        let values = self.values(1 + chance.below(4));
        let mut builder = BatchBuilder::new(64);
        for value in &values {
            builder.append(1_000, None, Some(value.as_bytes()), &[]);
        }
        let fields = match producer {
            Some(producer_id) => ProducerFields {
                producer_id,
                producer_epoch: 0,
                base_sequence: 0,
                transactional: true,
            },
            None => ProducerFields::default(),
        };
        let sealed = builder
            .seal(chance.pick(&CODECS).into(), fields)
            .expect("seals");
        let transaction = producer.map(|producer| {
            *self.open.entry(producer).or_insert_with(|| {
                self.transactions.push(Transaction {
                    producer,
                    first: self.end,
                    end: None,
                });
                self.transactions.len() - 1
            })
        });
        self.note(&values, transaction);
        self.push(sealed.bytes, values.len(), None);
    }

    fn note(&mut self, values: &[String], transaction: Option<usize>) {
        for (index, value) in values.iter().enumerate() {
            self.records.push(Written {
                offset: self.end + index as i64,
                value: value.clone(),
                transaction,
            });
        }
    }

    fn push(&mut self, bytes: Bytes, count: usize, marker_of: Option<i64>) {
        let raw = batches(bytes)
            .next()
            .expect("one batch")
            .expect("a whole one");
        let placed = raw
            .with_position(self.end, self.epoch)
            .expect("it is of magic 2");
        self.entries.push(Entry {
            base: self.end,
            last: self.end + count as i64 - 1,
            epoch: self.epoch,
            bytes: placed.bytes().clone(),
            marker_of,
        });
        self.end += count as i64;
    }

    fn end_transaction(&mut self, producer: i64, chance: &mut Chance) {
        let Some(index) = self.open.remove(&producer) else {
            return;
        };
        let committed = chance.once_in(2);
        let marker = TransactionMarker {
            committed,
            producer_id: producer,
            producer_epoch: 0,
            coordinator_epoch: 0,
            timestamp: 0,
        };
        self.transactions[index].end = Some(End {
            marker: self.end,
            committed,
        });
        self.push(marker.to_batch().expect("builds"), 1, Some(producer));
    }

    /// A message set: one compressed message, or messages one after another.
    fn append_legacy(&mut self, format: LegacyFormat, chance: &mut Chance) {
        let values = self.values(1 + chance.below(4));
        // Compressed sets of magic 0 hold real offsets, which only brokers of that time wrote.
        let codec = match format {
            LegacyFormat::Magic0 => Codec::None,
            LegacyFormat::Magic1 => chance.pick(&LEGACY_CODECS),
        };
        let mut builder = LegacySetBuilder::new(format, 64);
        for value in &values {
            builder.append(1_000, None, Some(value.as_bytes()));
        }
        let bytes = builder.seal(codec.into()).expect("seals");
        self.note(&values, None);
        let sets: Vec<RawBatch> = batches(bytes).map(|raw| raw.expect("whole")).collect();
        let is_one = sets.len() == 1;
        for (index, set) in sets.iter().enumerate() {
            let (base, last) = match is_one {
                true => (self.end, self.end + values.len() as i64 - 1),
                false => (self.end + index as i64, self.end + index as i64),
            };
            let mut bytes = set.bytes().to_vec();
            bytes[..8].copy_from_slice(&last.to_be_bytes());
            self.entries.push(Entry {
                base,
                last,
                epoch: -1,
                bytes: bytes.into(),
                marker_of: None,
            });
        }
        self.end += values.len() as i64;
    }

    /// Removes records and whole batches, as compaction does before the first open transaction. The last batch stays,
    /// if need be as an empty one, because it marks the end of the log.
    fn compact(&mut self, chance: &mut Chance) {
        let below = self.last_stable();
        let entries = std::mem::take(&mut self.entries);
        let stable = entries.iter().map(|entry| entry.last);
        let last_kept = stable.filter(|last| *last < below).max();
        for entry in entries {
            let raw = batches(entry.bytes.clone())
                .next()
                .expect("one")
                .expect("whole");
            if entry.last >= below || raw.header.magic < 2 || entry.marker_of.is_some() {
                self.entries.push(entry);
                continue;
            }
            let batch = raw.open(&ReadLimits::default()).expect("it was built well");
            let kept: Vec<_> = batch.records().filter(|_| !chance.once_in(3)).collect();
            self.records.retain(|record| {
                record.offset < entry.base
                    || record.offset > entry.last
                    || kept.iter().any(|kept| kept.offset == record.offset)
            });
            if kept.is_empty() && Some(entry.last) != last_kept && chance.once_in(2) {
                continue;
            }
            let left = raw
                .retaining(&batch, &kept, None)
                .expect("it is of magic 2");
            self.entries.push(Entry {
                bytes: left.bytes().clone(),
                ..entry
            });
        }
    }
}
