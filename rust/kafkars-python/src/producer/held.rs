//! What an asynchronous send hands over, kept while it waits for its topic, its partition or room.

use kafkars_client::{Delivery, Producer, SendError};

use super::batch_builder::Filled;
use super::send_arguments::OwnedRecord;

/// One send that waits.
pub(crate) enum Held {
    Record(OwnedRecord),
    Batch(HeldBatch),
}

/// A batch on its way to a partition.
pub(crate) struct HeldBatch {
    pub(super) topic: Box<str>,
    pub(super) partition: i32,
    pub(super) batch: Filled,
}

impl Held {
    /// Where it goes.
    pub(super) fn topic(&self) -> &str {
        match self {
            Self::Record(record) => &record.topic,
            Self::Batch(batch) => &batch.topic,
        }
    }

    /// Records in it.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Record(_) => 1,
            Self::Batch(batch) => batch.batch.look(|batch| batch.builder.count()) as usize,
        }
    }

    /// Bytes it holds, roughly.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Record(record) => record.size(),
            Self::Batch(batch) => batch.topic.len() + batch.batch.look(|batch| batch.builder.len()),
        }
    }

    /// Hands it to the producer.
    pub(super) fn send(&self, producer: &Producer) -> Result<Delivery, SendError> {
        match self {
            Self::Record(record) => record.with(|record| producer.try_send(record)),
            Self::Batch(HeldBatch {
                topic,
                partition,
                batch,
            }) => batch.look(|batch| producer.try_send_batch(topic, *partition, batch)),
        }
    }
}
