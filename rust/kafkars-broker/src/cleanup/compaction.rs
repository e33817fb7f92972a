//! Compaction of one partition, batch by batch, as Kafka's cleaner does it.
//!
//! Of each key the latest record stays, and records without a key go. A tombstone stays until `delete.retention.ms`
//! after the first compaction that met it, as do the markers of transactions of which nothing else is left (KIP-534).
//! Records of aborted transactions go at once. A producer's last batch stays without its records. Offsets never change.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use kafkars_records::{Batch, RawBatch, ReadLimits, RecordView, RecordsError, batches};

use super::transactions::TransactionWalk;
use crate::log::{BatchEntry, Log};
use crate::partition::Partition;
use crate::settings::topic::TopicConfig;

/// The latest offset of each key.
type Latest = HashMap<Bytes, i64>;

impl Partition {
    /// Compacts up to the last stable offset or the first batch that is younger than `min.compaction.lag.ms`, and
    /// returns how many records are gone.
    pub(crate) fn compact(&mut self, config: &TopicConfig, now: i64) -> Result<u64, RecordsError> {
        let end = self.compactable_end(config, now);
        let (below, above): (Vec<BatchEntry>, Vec<BatchEntry>) = self
            .log
            .entries()
            .partition(|entry| entry.last_offset < end);
        let latest = self.latest(&below)?;
        let last_batches = self.last_batches();
        let mut walk = TransactionWalk::new(self.aborted(0, i64::MAX));
        let mut kept = VecDeque::with_capacity(below.len());
        let mut gone = 0;
        for mut entry in below {
            let (raw, batch) = open(&mut self.log, &entry)?;
            let header = &raw.header;
            let due = header.attributes.has_delete_horizon() && header.base_timestamp <= now;
            let control = header.attributes.is_control();
            let (dropped, bare) = if control {
                let bare = walk.marks_nothing(header, &batch);
                (bare && due, bare)
            } else {
                (walk.is_aborted(header), false)
            };
            let stays = |record: &RecordView| {
                !dropped && (control || is_latest(&latest, &batch, record, due))
            };
            let records: Vec<RecordView> = batch.records().filter(stays).collect();
            let last_of_producer = || {
                let last = last_batches.get(&header.producer_id);
                last.is_some_and(|(epoch, offset)| match offset {
                    Some(offset) => *offset == entry.last_offset,
                    None => control && *epoch == header.producer_epoch,
                })
            };
            let before = header.record_count.unsigned_abs() as usize;
            gone += (before - records.len().min(before)) as u64;
            if records.is_empty() && !last_of_producer() {
                continue;
            }
            let tombstones = !control && records.iter().any(|record| record.value.is_none());
            let starts_horizon = !header.attributes.has_delete_horizon()
                && (tombstones || bare && !records.is_empty());
            let horizon = starts_horizon.then(|| now.saturating_add(config.delete_retention_ms));
            let left = if records.len() == before && horizon.is_none() {
                raw
            } else {
                raw.retaining(&batch, &records, horizon)?
            };
            if !records.is_empty() {
                entry.max_timestamp = left.header.max_timestamp;
            }
            kept.push_back((entry, left.bytes().clone()));
        }
        for entry in above {
            let bytes = self.log.read_entry(&entry);
            kept.push_back((entry, bytes));
        }
        if let Some(file) = &mut self.file
            && let Err(error) = file.replace(kept.iter().map(|(_, batch)| batch))
        {
            tracing::error!(%error, "not compacted: the file of the partition cannot be written");
            return Ok(0);
        }
        self.log.replace(kept);
        self.forget_aborted(|transaction| {
            transaction.last_offset < end && !walk.had_batches.contains(&transaction.last_offset)
        });
        Ok(gone)
    }

    fn compactable_end(&self, config: &TopicConfig, now: i64) -> i64 {
        let stable = self.last_stable_offset();
        if config.min_compaction_lag_ms <= 0 {
            return stable;
        }
        let latest = now.saturating_sub(config.min_compaction_lag_ms);
        let young = self
            .log
            .entries()
            .find(|entry| entry.max_timestamp > latest);
        young.map_or(stable, |entry| stable.min(entry.base_offset))
    }

    fn latest(&mut self, entries: &[BatchEntry]) -> Result<Latest, RecordsError> {
        let mut walk = TransactionWalk::new(self.aborted(0, i64::MAX));
        let mut latest = Latest::new();
        for entry in entries {
            let (raw, batch) = open(&mut self.log, entry)?;
            if raw.header.attributes.is_control() {
                walk.marks_nothing(&raw.header, &batch);
            } else if !walk.is_aborted(&raw.header) {
                for record in batch.records() {
                    if let Some(key) = record.key {
                        let key = Bytes::copy_from_slice(batch.slice(key));
                        latest.insert(key, record.offset);
                    }
                }
            }
        }
        Ok(latest)
    }
}

fn open(log: &mut Log, entry: &BatchEntry) -> Result<(RawBatch, Batch), RecordsError> {
    let mut walk = batches(log.read_entry(entry));
    let raw = walk.next().unwrap_or(Err(RecordsError::BadLength {
        base_offset: entry.base_offset,
        length: 0,
    }))?;
    let batch = raw.open(&ReadLimits::default())?;
    Ok((raw, batch))
}

/// True if a record is the latest of its key, and no tombstone whose time is over.
fn is_latest(latest: &Latest, batch: &Batch, record: &RecordView, due: bool) -> bool {
    let Some(key) = record.key else {
        return false;
    };
    let known = latest.get(batch.slice(key));
    known.is_none_or(|offset| record.offset >= *offset) && (record.value.is_some() || !due)
}
