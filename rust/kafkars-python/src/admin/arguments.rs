//! What Python asks with, as tuples that `kafkars.admin` builds of its own types.

use kafkars_client::admin::{
    ConfigChange, ConfigOperation, ConfigResource, ConfigResourceType, NewPartitions, NewTopic,
    OffsetSpec,
};
use kafkars_client::config::TopicPartition;
use kafkars_client::group::OffsetAndMetadata;
use pyo3::prelude::*;

use crate::error;

/// Name, partitions, replicas, replicas of each partition, settings.
pub(super) type Topic = (
    String,
    i32,
    i16,
    Vec<Vec<i32>>,
    Vec<(String, Option<String>)>,
);
/// Name, partitions in all, replicas of each new partition.
pub(super) type Growth = (String, i32, Vec<Vec<i32>>);
/// Kind and name.
pub(super) type Resource = (i8, String);
/// A resource with changes: setting, operation, value.
pub(super) type Change = (Resource, Vec<(String, i8, Option<String>)>);
/// Topic and number.
pub(super) type Partition = (String, i32);
/// A partition with offset, leader epoch and metadata.
pub(super) type Commit = (Partition, i64, Option<i32>, String);

pub(super) fn topic(
    (name, partitions, replication_factor, assignments, configs): Topic,
) -> NewTopic {
    NewTopic {
        name,
        partitions,
        replication_factor,
        assignments,
        configs,
    }
}

pub(super) fn growth((name, total, assignments): Growth) -> (String, NewPartitions) {
    (name, NewPartitions { total, assignments })
}

pub(super) fn resource((kind, name): Resource) -> PyResult<ConfigResource> {
    let kinds = [
        ConfigResourceType::Topic,
        ConfigResourceType::Broker,
        ConfigResourceType::BrokerLogger,
        ConfigResourceType::ClientMetrics,
        ConfigResourceType::Group,
    ];
    let found = kinds.into_iter().find(|one| *one as i8 == kind);
    let kind = found.ok_or_else(|| error::argument(format!("{kind} is no type of resource")))?;
    Ok(ConfigResource { kind, name })
}

pub(super) fn change((of, changes): Change) -> PyResult<(ConfigResource, Vec<ConfigChange>)> {
    let one = |(name, operation, value): (String, i8, Option<String>)| {
        let operations = [
            ConfigOperation::Set,
            ConfigOperation::Delete,
            ConfigOperation::Append,
            ConfigOperation::Subtract,
        ];
        let found = operations.into_iter().find(|one| *one as i8 == operation);
        let operation = found
            .ok_or_else(|| error::argument(format!("{operation} is no operation on a setting")))?;
        Ok(ConfigChange {
            name,
            operation,
            value,
        })
    };
    let changes: PyResult<Vec<ConfigChange>> = changes.into_iter().map(one).collect();
    Ok((resource(of)?, changes?))
}

pub(super) fn partition((topic, partition): Partition) -> TopicPartition {
    TopicPartition {
        topic: topic.into(),
        partition,
    }
}

pub(super) fn group_partitions(
    (group, partitions): (String, Option<Vec<Partition>>),
) -> (String, Option<Vec<TopicPartition>>) {
    let partitions = partitions.map(|each| each.into_iter().map(partition).collect());
    (group, partitions)
}

pub(super) fn commit(
    (of, offset, leader_epoch, metadata): Commit,
) -> (TopicPartition, OffsetAndMetadata) {
    let committed = OffsetAndMetadata {
        offset,
        leader_epoch: leader_epoch.unwrap_or(-1),
        metadata: metadata.into(),
    };
    (partition(of), committed)
}

/// Kafka's numbers: -1 latest, -2 earliest, -3 the largest timestamp, others are timestamps.
pub(super) fn offset_spec(
    (of, number): (Partition, i64),
) -> PyResult<(TopicPartition, OffsetSpec)> {
    let spec = match number {
        -1 => OffsetSpec::Latest,
        -2 => OffsetSpec::Earliest,
        -3 => OffsetSpec::MaxTimestamp,
        timestamp if timestamp >= 0 => OffsetSpec::Timestamp(timestamp),
        other => return Err(error::argument(format!("{other} is no timestamp"))),
    };
    Ok((partition(of), spec))
}
