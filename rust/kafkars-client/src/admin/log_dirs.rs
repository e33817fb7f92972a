//! The log directories of brokers, and the size of each replica in them (KIP-113).

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_protocol::messages::describe_log_dirs::{
    DescribableLogDirTopic, DescribeLogDirsRequest, DescribeLogDirsResult,
};

use super::group_offsets::by_topic;
use super::handle::Admin;
use super::outcome::{Outcomes, outcome, outcome_of};
use super::routing::Target;
use super::together;
use crate::error::ClientError;

/// A log directory of a broker.
#[derive(Debug, Clone, PartialEq)]
pub struct LogDir {
    /// Its path on the broker.
    pub path: String,
    /// Size of its volume in bytes, where the broker returns it (3.3 and newer).
    pub total_bytes: Option<i64>,
    /// Free bytes of its volume, where the broker returns them (3.3 and newer).
    pub usable_bytes: Option<i64>,
    /// True if no new replica is put there (KIP-1066, Kafka 4.3 and newer).
    pub is_cordoned: bool,
    /// The replicas in it, or why they cannot be described.
    pub replicas: Result<Vec<LogDirReplica>, ClientError>,
}

/// A replica in a log directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogDirReplica {
    /// The partition.
    pub of: TopicPartition,
    /// Size of the replica in bytes.
    pub bytes: i64,
    /// How many offsets the replica is behind the end of the log.
    pub offset_lag: i64,
    /// True for a replica that is being moved here from another log directory.
    pub is_future: bool,
}

impl Admin {
    /// Describes the log directories of these brokers, or of all, with the replicas of these partitions, or of all.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`], if all brokers are asked; a broker that fails has its error in its own
    /// outcome.
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
        let asked = brokers.into_iter().map(async |broker| {
            let target = Target::Node(broker);
            let asked = self.ask(target, |_| request.clone(), |_| None, deadline);
            let told = asked.await.and_then(|response| {
                outcome_of(response.error_code, None, || format!("broker {broker}"))?;
                Ok(response.results.into_iter().map(log_dir).collect())
            });
            (broker, told)
        });
        Ok(together::all(asked).await)
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
