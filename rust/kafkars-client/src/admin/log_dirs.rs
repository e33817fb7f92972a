//! The folders in which brokers keep records, and what each replica takes of them (KIP-113).

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_protocol::messages::describe_log_dirs::{
    DescribableLogDirTopic, DescribeLogDirsRequest, DescribeLogDirsResult,
};

use super::group_offsets::by_topic;
use super::handle::Admin;
use super::outcome::{Outcomes, outcome};
use super::routing::Target;
use crate::error::ClientError;

/// A folder of a broker.
#[derive(Debug, Clone, PartialEq)]
pub struct LogDir {
    /// Its path there.
    pub path: String,
    /// Bytes of its disk, where brokers tell (3.3 and newer).
    pub total_bytes: Option<i64>,
    /// Bytes of its disk that are free, where brokers tell.
    pub usable_bytes: Option<i64>,
    /// True if no new replica is put there (KIP-1066, Kafka 4.3 and newer).
    pub is_cordoned: bool,
    /// What is in it, or why that cannot be told.
    pub replicas: Result<Vec<LogDirReplica>, ClientError>,
}

/// A replica in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogDirReplica {
    /// Of which partition.
    pub of: TopicPartition,
    /// Bytes that it takes.
    pub bytes: i64,
    /// How many records it is behind.
    pub offset_lag: i64,
    /// True of one that is being moved here from another folder.
    pub is_future: bool,
}

impl Admin {
    /// The folders of these brokers, or of all; told are the replicas of these partitions, or all.
    pub async fn describe_log_dirs(
        &self,
        brokers: Option<Vec<i32>>,
        partitions: Option<Vec<TopicPartition>>,
        deadline: Instant,
    ) -> Result<Outcomes<i32, Vec<LogDir>>, ClientError> {
        let named = |partitions: Vec<TopicPartition>| {
            let each = partitions.into_iter();
            let topics = by_topic(each.map(|of| (of.topic, of.partition))).into_iter();
            let topics = topics.map(|(topic, partitions)| DescribableLogDirTopic {
                topic: topic.to_string(),
                partitions,
            });
            topics.collect()
        };
        let request = DescribeLogDirsRequest {
            topics: partitions.map(named),
        };
        let brokers = match brokers {
            Some(brokers) => brokers,
            None => {
                let described = self.describe_cluster(false, deadline).await?;
                described.brokers.iter().map(|broker| broker.id).collect()
            }
        };
        let mut described = Vec::with_capacity(brokers.len());
        for broker in brokers {
            let asked = self
                .ask(
                    Target::Node(broker),
                    |_| request.clone(),
                    |_| None,
                    deadline,
                )
                .await;
            let told = asked.and_then(|response| {
                outcome(response.error_code, None, None)?;
                Ok(response.results.into_iter().map(log_dir).collect())
            });
            described.push((broker, told));
        }
        Ok(described)
    }
}

fn log_dir(result: DescribeLogDirsResult) -> LogDir {
    let refused = outcome(result.error_code, None, None);
    let topics = result.topics.into_iter();
    let replicas = topics.flat_map(|topic| {
        let name: Arc<str> = topic.name.into();
        topic.partitions.into_iter().map(move |one| LogDirReplica {
            of: TopicPartition {
                topic: Arc::clone(&name),
                partition: one.partition_index,
            },
            bytes: one.partition_size,
            offset_lag: one.offset_lag,
            is_future: one.is_future_key,
        })
    });
    let mut replicas: Vec<LogDirReplica> = replicas.collect();
    replicas.sort_unstable_by(|one, other| one.of.cmp(&other.of));
    LogDir {
        path: result.log_dir,
        total_bytes: Some(result.total_bytes).filter(|bytes| *bytes >= 0),
        usable_bytes: Some(result.usable_bytes).filter(|bytes| *bytes >= 0),
        is_cordoned: result.is_cordoned,
        replicas: refused.map(|()| replicas),
    }
}
