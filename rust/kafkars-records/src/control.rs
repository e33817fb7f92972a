//! Control batches: records that brokers write between those of applications, and that are not returned to
//! applications.

use bytes::Bytes;

use crate::{
    Batch, RecordsError,
    attributes::Attributes,
    builder::{BatchBuilder, ProducerFields},
    compression::Compression,
};

/// The type of a control record. Its key is a version and this type, two int16.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ControlType {
    /// Aborts the producer's transaction.
    Abort,
    /// Commits the producer's transaction.
    Commit,
    /// A new leader; this and the following are in KRaft's own log.
    LeaderChange,
    /// The start of a snapshot.
    SnapshotHeader,
    /// The end of a snapshot.
    SnapshotFooter,
    /// The version of KRaft's records.
    KRaftVersion,
    /// The voters.
    KRaftVoters,
    /// A type of a later version of Kafka; readers skip it.
    Unknown(i16),
}

impl ControlType {
    /// Reads the key of a control record; `None` if it is missing or too short.
    pub fn from_key(key: Option<&[u8]>) -> Option<Self> {
        // Later versions may add fields after the type.
        let [0..=127, _, high, low] = *key?.first_chunk()? else {
            return None;
        };
        Some(match i16::from_be_bytes([high, low]) {
            0 => Self::Abort,
            1 => Self::Commit,
            2 => Self::LeaderChange,
            3 => Self::SnapshotHeader,
            4 => Self::SnapshotFooter,
            5 => Self::KRaftVersion,
            6 => Self::KRaftVoters,
            other => Self::Unknown(other),
        })
    }
}

/// A transaction marker: the end of a transaction, as it is written into each of the transaction's partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionMarker {
    /// True if the transaction was committed, false if aborted.
    pub committed: bool,
    /// Id of the producer.
    pub producer_id: i64,
    /// Epoch of the producer.
    pub producer_epoch: i16,
    /// Epoch of the transaction coordinator, which fences markers of an older one.
    pub coordinator_epoch: i32,
    /// When the coordinator wrote it, in milliseconds since 1970.
    pub timestamp: i64,
}

impl TransactionMarker {
    /// The transaction marker in an opened batch; `None` if it is another kind of batch.
    pub fn of(batch: &Batch) -> Option<Self> {
        let header = &batch.header;
        if !header.attributes.is_control() {
            return None;
        }
        let record = batch.records().next()?;
        let committed = match ControlType::from_key(record.key.map(|key| batch.slice(key)))? {
            ControlType::Commit => true,
            ControlType::Abort => false,
            _ => return None,
        };
        // The value starts with its version.
        let epoch = record
            .value
            .and_then(|value| batch.slice(value).get(2..6)?.try_into().ok());
        Some(Self {
            committed,
            producer_id: header.producer_id,
            producer_epoch: header.producer_epoch,
            coordinator_epoch: epoch.map_or(0, i32::from_be_bytes),
            timestamp: record.timestamp,
        })
    }

    /// Builds the control batch of this marker, at offset 0 until a broker sets it.
    pub fn to_batch(self) -> Result<Bytes, RecordsError> {
        let [a, b, c, d] = self.coordinator_epoch.to_be_bytes();
        // Both start with their version, 0.
        let key = [0, 0, 0, u8::from(self.committed)];
        let value = [0, 0, a, b, c, d];
        let mut builder = BatchBuilder::new(128);
        builder.append(self.timestamp, Some(&key), Some(&value), &[]);
        let producer = ProducerFields {
            producer_id: self.producer_id,
            producer_epoch: self.producer_epoch,
            base_sequence: -1,
            transactional: true,
        };
        Ok(builder
            .seal_with(
                Attributes::default().with_control(),
                Compression::NONE,
                producer,
            )?
            .bytes)
    }
}
