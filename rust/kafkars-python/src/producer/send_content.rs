//! What an asynchronous call sends: a record, or a batch that the application has filled.

use kafkars_client::{Delivery, Producer, SendError, SendPermit};

use super::batch_builder::Filled;
use super::send_arguments::OwnedRecord;

/// The records of one asynchronous call that may have to wait.
pub(crate) enum SendContent {
    Record(OwnedRecord),
    Batch {
        topic: Box<str>,
        partition: i32,
        batch: Filled,
    },
}

impl SendContent {
    pub(super) fn topic(&self) -> &str {
        match self {
            Self::Record(record) => &record.topic,
            Self::Batch { topic, .. } => topic,
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Self::Record(_) => 1,
            Self::Batch { batch, .. } => batch.look(|batch| batch.builder.count()) as usize,
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Record(record) => record.size(),
            Self::Batch { topic, batch, .. } => {
                topic.len() + batch.look(|batch| batch.builder.len())
            }
        }
    }

    /// Hands it to the producer, with a permit if it has waited.
    pub(super) fn send(
        &self,
        producer: &Producer,
        permit: Option<SendPermit>,
    ) -> Result<Delivery, SendError> {
        match self {
            Self::Record(record) => record.with(|record| match permit {
                None => producer.try_send(record),
                Some(permit) => producer.try_send_permitted(record, permit),
            }),
            Self::Batch {
                topic,
                partition,
                batch,
            } => batch.look(|batch| producer.try_send_batch(topic, *partition, batch, permit)),
        }
    }
}
