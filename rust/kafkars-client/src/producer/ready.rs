//! What a record waits for before it is taken: its topic's partitions, or room in `buffer_memory`.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::cluster::TopicMetadata;
use kafkars_core::produce::error::ProduceError;
use kafkars_protocol::ErrorCode;

use super::send_error::Wait;
use super::shared::{FlushRequest, ProducerShared};
use super::{Producer, SendWait};
use crate::error::ClientError;
use crate::now;

impl Producer {
    /// Waits, until `deadline`, for what a record needs that was refused with `SendError::NotReady`.
    ///
    /// # Errors
    /// [`ProduceError::BufferFull`] if there is no room at the deadline, [`ProduceError::Closed`] after a close;
    /// otherwise as for [`Producer::partitions_for`].
    pub async fn ready(&self, wait: SendWait, deadline: Instant) -> Result<(), ProduceError> {
        match wait.0 {
            Wait::Metadata(topic) => self.partitions_for(&topic, deadline).await.map(drop),
            Wait::Room(size) => self.room(size, deadline).await,
        }
    }

    async fn room(&self, size: usize, deadline: Instant) -> Result<(), ProduceError> {
        let _flush_requested = FlushRequest::new(&self.shared);
        let started = now();
        let accumulator = &self.shared.accumulator;
        let mut first: Option<FirstInLine<'_>> = None;
        loop {
            let told = self.shared.room.notified();
            if self.shared.is_shut() {
                return Err(ProduceError::Closed);
            }
            if first.is_none() && accumulator.be_first_in_line(size) {
                first = Some(FirstInLine(&self.shared));
            }
            if accumulator.has_room(size, first.is_some()) {
                return Ok(());
            }
            let in_time = tokio::time::timeout_at(deadline.into(), told).await;
            if in_time.is_err() {
                return Err(ProduceError::BufferFull {
                    buffer_memory: self.shared.config.buffer_memory,
                    waited: started.elapsed(),
                });
            }
        }
    }

    /// Returns the topic's partitions, and asks for them if they are unknown. Fails at the deadline with the last
    /// failure.
    ///
    /// # Errors
    /// [`ProduceError::MetadataTimedOut`] at the deadline, [`ProduceError::Topic`] if the topic cannot exist or may not
    /// be used, [`ProduceError::Bootstrap`] without a cluster, [`ProduceError::Security`] if brokers refuse this
    /// client, [`ProduceError::Closed`] after a close.
    pub async fn partitions_for(
        &self,
        topic: &str,
        deadline: Instant,
    ) -> Result<Arc<TopicMetadata>, ProduceError> {
        let started = now();
        if self.shared.is_shut() {
            return Err(ProduceError::Closed);
        }
        let metadata = self.shared.client.topic(topic, deadline).await;
        match metadata {
            Ok(metadata) => {
                let accumulator = &self.shared.accumulator;
                accumulator.update_topic(&metadata);
                // The sender passes on only changes of topics that are known here, so it would miss one that came in
                // between.
                if let Some(latest) = self.shared.client.cluster().topic(topic)
                    && !Arc::ptr_eq(latest, &metadata)
                    && latest.error.is_none()
                {
                    accumulator.update_topic(latest);
                }
                Ok(metadata)
            }
            Err(error) => Err(self.topic_error(topic, started, &error)),
        }
    }

    fn topic_error(&self, topic: &str, started: Instant, error: &ClientError) -> ProduceError {
        if let Some(failure) = error.security() {
            return ProduceError::Security(failure);
        }
        if let Some(causes) = error.bootstrap_causes() {
            return ProduceError::Bootstrap { causes };
        }
        match error {
            ClientError::Closed => ProduceError::Closed,
            ClientError::TimedOut { cause, .. } => ProduceError::MetadataTimedOut {
                topic: topic.into(),
                waited: started.elapsed(),
                answer: self.shared.client.refusal_of_topic(topic),
                cause: Arc::clone(cause),
            },
            ClientError::InvalidTopic(name) => ProduceError::Topic {
                topic: Arc::clone(name),
                code: ErrorCode::InvalidTopicException,
                message: Some(error.to_string().into()),
            },
            ClientError::Broker { code, message, .. } => ProduceError::Topic {
                topic: topic.into(),
                code: *code,
                message: message.clone(),
            },
            other => ProduceError::Impossible {
                topic: topic.into(),
                cause: other.to_string().into(),
            },
        }
    }
}

/// The first place in the line for room; it is left on drop.
struct FirstInLine<'a>(&'a ProducerShared);

impl Drop for FirstInLine<'_> {
    fn drop(&mut self) {
        self.0.accumulator.leave_line();
        // The room that was reserved is there for the others now.
        self.0.room.notify_waiters();
    }
}
