//! Control batches: markers that brokers write between the records of applications, and that no application sees.

use bytes::Bytes;

use crate::{
    Batch, RecordsError,
    attributes::Attributes,
    builder::{BatchBuilder, ProducerFields},
    compression::Compression,
};

/// What a control record says. Its key is a version and this type, two 16-bit numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ControlType {
    /// The producer's transaction is aborted.
    Abort,
    /// The producer's transaction is committed.
    Commit,
    /// Of KRaft's own log, as are the following: a new leader.
    LeaderChange,
    /// Start of a snapshot.
    SnapshotHeader,
    /// End of a snapshot.
    SnapshotFooter,
    /// Version of KRaft's records.
    KRaftVersion,
    /// Who votes.
    KRaftVoters,
    /// A type of a later Kafka; readers skip it.
    Unknown(i16),
}

impl ControlType {
    /// Reads the key of a control record; `None` when it is missing or too short to name a type.
    pub fn from_key(key: Option<&[u8]>) -> Option<Self> {
        // Versions after 0 may add fields behind the type.
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

/// The end of a transaction, as its marker in each of the transaction's partitions tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionMarker {
    /// Committed, or else aborted.
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
    /// The marker in an open batch; none where it is a batch of something else.
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

    /// The control batch with this marker, at offset 0 until a broker stamps it.
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
