//! Arguments from Python, as tuples that `kafkars.admin` makes of its own types.

use std::num::NonZeroU32;

use kafkars_client::admin::{
    AclBinding, AclBindingFilter, ConfigChange, ConfigOperation, ConfigResource,
    ConfigResourceType, ElectionType, NewPartitions, NewTopic, OffsetSpec, ScramAlteration,
    ScramUpsertion,
};
use kafkars_client::config::{ScramHash, TopicPartition};
use kafkars_client::group::OffsetAndMetadata;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::argument;
use crate::error;

/// Name, partitions, replicas, replicas of each partition, settings.
pub(super) type TopicArgument = (
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
pub(super) type ConfigChangeArgument = (Resource, Vec<(String, i8, Option<String>)>);
/// Topic and number.
pub(super) type PartitionArgument = (String, i32);
/// A partition with offset, leader epoch and metadata.
pub(super) type OffsetArgument = (PartitionArgument, i64, Option<i32>, String);
/// Kind of resource, name, kind of pattern, principal, host, operation, permission.
pub(super) type AclArgument = (i8, String, i8, String, String, i8, i8);
/// The parts of a rule to look for; None matches all.
pub(super) type AclFilterArgument = (
    i8,
    Option<String>,
    i8,
    Option<String>,
    Option<String>,
    i8,
    i8,
);
/// User, mechanism, and for a new credential iterations, salt and password.
pub(super) type ScramAlterationArgument = (String, i8, Option<(u32, Option<Vec<u8>>, Vec<u8>)>);

pub(super) fn topic(
    (name, partitions, replication_factor, assignments, configs): TopicArgument,
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

pub(super) fn change(
    (of, changes): ConfigChangeArgument,
) -> PyResult<(ConfigResource, Vec<ConfigChange>)> {
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

pub(super) fn partition((topic, partition): PartitionArgument) -> TopicPartition {
    TopicPartition {
        topic: topic.into(),
        partition,
    }
}

pub(super) fn partitions(several: Vec<PartitionArgument>) -> Vec<TopicPartition> {
    several.into_iter().map(partition).collect()
}

pub(super) fn group_partitions(
    (group, partitions): (String, Option<Vec<PartitionArgument>>),
) -> (String, Option<Vec<TopicPartition>>) {
    let partitions = partitions.map(|each| each.into_iter().map(partition).collect());
    (group, partitions)
}

pub(super) fn commit(
    (of, offset, leader_epoch, metadata): OffsetArgument,
) -> (TopicPartition, OffsetAndMetadata) {
    let committed = OffsetAndMetadata {
        leader_epoch: leader_epoch.unwrap_or(-1),
        metadata: metadata.into(),
        ..OffsetAndMetadata::new(offset)
    };
    (partition(of), committed)
}

/// Kafka's numbers: -1 latest, -2 earliest, -3 the largest timestamp, others are timestamps.
pub(super) fn offset_spec(
    (of, given): (PartitionArgument, Bound<'_, PyAny>),
) -> PyResult<(TopicPartition, OffsetSpec)> {
    let spec = match argument::search::timestamp(&given)? {
        -1 => OffsetSpec::Latest,
        -2 => OffsetSpec::Earliest,
        -3 => OffsetSpec::MaxTimestamp,
        timestamp if timestamp >= 0 => OffsetSpec::Timestamp(timestamp),
        other => return Err(error::argument(format!("{other} is no timestamp"))),
    };
    Ok((partition(of), spec))
}

pub(super) fn acl(
    (resource_type, resource_name, pattern_type, principal, host, operation, permission): AclArgument,
) -> AclBinding {
    AclBinding {
        resource_type,
        resource_name,
        pattern_type,
        principal,
        host,
        operation,
        permission,
    }
}

pub(super) fn acl_filter(
    (resource_type, resource_name, pattern_type, principal, host, operation, permission): AclFilterArgument,
) -> AclBindingFilter {
    AclBindingFilter {
        resource_type,
        resource_name,
        pattern_type,
        principal,
        host,
        operation,
        permission,
    }
}

pub(super) fn alteration(
    (user, mechanism, credential): ScramAlterationArgument,
) -> PyResult<ScramAlteration> {
    let hash = match mechanism {
        1 => ScramHash::Sha256,
        2 => ScramHash::Sha512,
        other => return Err(error::argument(format!("{other} is no mechanism of SCRAM"))),
    };
    let Some((iterations, salt, password)) = credential else {
        return Ok(ScramAlteration::Deletion { user, hash });
    };
    let iterations = NonZeroU32::new(iterations)
        .ok_or_else(|| error::argument("iterations: 0 is none".to_owned()))?;
    Ok(ScramAlteration::Upsertion(ScramUpsertion {
        user,
        hash,
        iterations,
        salt,
        password: Zeroizing::new(password),
    }))
}

pub(super) fn election(number: i8) -> PyResult<ElectionType> {
    match number {
        0 => Ok(ElectionType::Preferred),
        1 => Ok(ElectionType::Unclean),
        other => Err(error::argument(format!("{other} is no type of election"))),
    }
}
