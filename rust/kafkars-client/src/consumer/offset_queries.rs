//! Queries of offsets and partitions; none of them changes the consumer.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::cluster::TopicMetadata;
use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::offset_reset::{EARLIEST_TIMESTAMP, LATEST_TIMESTAMP};
use kafkars_protocol::ErrorCode;

use super::arguments::check_partition;
use super::handle::Consumer;
use super::offsets::{self, OffsetAndTimestamp};
use crate::error::ClientError;

impl Consumer {
    /// Returns for each partition the first offset whose timestamp is the given time in ms or later; `None` where there
    /// is no such record.
    ///
    /// # Errors
    /// [`FetchError::InvalidArgument`] for a negative time or partition, [`FetchError::Topic`] for a name that no topic
    /// can have, [`FetchError::TimedOut`] at the deadline, [`FetchError::Closed`] after a close; otherwise the first
    /// refusal of a partition.
    pub async fn offsets_for_times(
        &self,
        times: Vec<(TopicPartition, i64)>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, Option<OffsetAndTimestamp>)>, FetchError> {
        for (partition, timestamp) in &times {
            check_partition(partition)?;
            if *timestamp < 0 {
                return Err(FetchError::InvalidArgument {
                    problem: format!("timestamp {timestamp} ms for {partition} is negative").into(),
                });
            }
        }
        let found = self
            .list_offsets("offsets_for_times", times, deadline)
            .await?;
        let existing = |found: OffsetAndTimestamp| (found.offset >= 0).then_some(found);
        Ok(found
            .into_iter()
            .map(|(partition, found)| (partition, existing(found)))
            .collect())
    }

    /// Returns the log start offset of each partition, once.
    ///
    /// # Errors
    /// As for [`Consumer::offsets_for_times`].
    pub async fn beginning_offsets(
        &self,
        partitions: Vec<TopicPartition>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, i64)>, FetchError> {
        self.ends(
            "beginning_offsets",
            partitions,
            EARLIEST_TIMESTAMP,
            deadline,
        )
        .await
    }

    /// Returns the end offset of each partition: the one after the last record that this consumer's isolation level
    /// lets it read.
    ///
    /// # Errors
    /// As for [`Consumer::offsets_for_times`].
    pub async fn end_offsets(
        &self,
        partitions: Vec<TopicPartition>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, i64)>, FetchError> {
        self.ends("end_offsets", partitions, LATEST_TIMESTAMP, deadline)
            .await
    }

    async fn ends(
        &self,
        operation: &'static str,
        partitions: Vec<TopicPartition>,
        timestamp: i64,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, i64)>, FetchError> {
        for partition in &partitions {
            check_partition(partition)?;
        }
        // Brokers refuse what is named twice.
        let mut named = HashSet::new();
        let times = partitions
            .into_iter()
            .filter(|partition| named.insert(partition.clone()))
            .map(|partition| (partition, timestamp))
            .collect();
        let found = self.list_offsets(operation, times, deadline).await?;
        Ok(found
            .into_iter()
            .map(|(partition, found)| (partition, found.offset))
            .collect())
    }

    async fn list_offsets(
        &self,
        operation: &'static str,
        times: Vec<(TopicPartition, i64)>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, OffsetAndTimestamp)>, FetchError> {
        self.check_open()?;
        let found = offsets::list(&self.shared, operation, times, deadline).await?;
        found
            .into_iter()
            .map(|(partition, found)| Ok((partition, found?)))
            .collect()
    }

    /// Returns the topic's metadata.
    ///
    /// # Errors
    /// As for [`crate::Client::topic`].
    pub async fn partitions_for(
        &self,
        topic: &str,
        deadline: Instant,
    ) -> Result<Arc<TopicMetadata>, ClientError> {
        self.shared.client.topic(topic, deadline).await
    }

    /// Tells which of these topics are not there for this client, and why.
    ///
    /// # Errors
    /// As for [`crate::Client::refused_topics`].
    pub async fn refused_topics(
        &self,
        names: Vec<String>,
        deadline: Instant,
    ) -> Result<Vec<(String, ErrorCode)>, ClientError> {
        self.shared.client.refused_topics(names, deadline).await
    }

    /// Lists the names of all topics that this client may describe.
    ///
    /// # Errors
    /// As for [`crate::Client::topics`].
    pub async fn topics(&self, deadline: Instant) -> Result<Vec<String>, ClientError> {
        self.shared.client.topics(deadline).await
    }
}
