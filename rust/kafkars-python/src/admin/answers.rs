//! Results for Python, as tuples of which `kafkars.admin` makes its own types.

use kafkars_client::ClientError;
use kafkars_client::admin::{
    AclBinding, ActiveProducer, ClusterDescription, ConfigEntry, ConfigResource, CreatedTopic,
    GroupDescription, GroupListing, ListedOffset, LogDir, Outcomes, PartitionReassignment,
    ScramCredentialInfo, TopicDescription, TransactionDescription, TransactionListing,
};
use kafkars_client::config::TopicPartition;
use kafkars_client::group::OffsetAndMetadata;
use kafkars_protocol::messages::describe_groups::DescribedGroup;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::{cluster, error, types};

/// A list of keys, each with its value or exception.
pub(super) fn outcomes<K, T>(
    py: Python<'_>,
    answer: Result<Outcomes<K, T>, ClientError>,
    key: impl Fn(Python<'_>, K) -> PyResult<Py<PyAny>>,
    value: impl Fn(Python<'_>, T) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let list = PyList::empty(py);
    for (name, outcome) in answer.map_err(|failure| error::client(py, &failure))? {
        let outcome = match outcome {
            Ok(found) => value(py, found)?,
            Err(failure) => error::client(py, &failure).into_value(py).into_any(),
        };
        list.append((key(py, name)?, outcome))?;
    }
    Ok(list.into_any().unbind())
}

pub(super) fn name(py: Python<'_>, name: String) -> PyResult<Py<PyAny>> {
    name.into_py_any(py)
}

pub(super) fn nothing(py: Python<'_>, (): ()) -> PyResult<Py<PyAny>> {
    Ok(py.None())
}

pub(super) fn partition(py: Python<'_>, of: TopicPartition) -> PyResult<Py<PyAny>> {
    Ok(types::topic_partition(py, &of)?.unbind())
}

pub(super) fn offset(py: Python<'_>, offset: i64) -> PyResult<Py<PyAny>> {
    offset.into_py_any(py)
}

pub(super) fn resource(py: Python<'_>, resource: ConfigResource) -> PyResult<Py<PyAny>> {
    (resource.kind as i8, resource.name).into_py_any(py)
}

pub(super) fn created(py: Python<'_>, topic: CreatedTopic) -> PyResult<Py<PyAny>> {
    let id = topic.topic_id.map(|id| id.to_string());
    let configs = entries(py, topic.configs)?;
    (id, topic.partitions, topic.replication_factor, configs).into_py_any(py)
}

pub(super) fn described_topic(py: Python<'_>, topic: TopicDescription) -> PyResult<Py<PyAny>> {
    let id = Some(topic.metadata.id).filter(|id| !id.is_zero());
    let id = id.map(|id| id.to_string());
    let partitions = cluster::partitions(py, &topic.metadata)?;
    let authorized = topic.authorized_operations;
    (id, topic.is_internal, partitions, authorized).into_py_any(py)
}

pub(super) fn entries(py: Python<'_>, entries: Vec<ConfigEntry>) -> PyResult<Py<PyAny>> {
    let list = PyList::empty(py);
    for entry in entries {
        let synonyms = entry.synonyms.into_iter();
        let synonyms = synonyms.map(|one| (one.name, one.value, one.source));
        list.append((
            entry.name,
            entry.value,
            entry.is_read_only,
            entry.is_sensitive,
            entry.source,
            entry.value_type,
            entry.documentation,
            synonyms.collect::<Vec<_>>(),
        ))?;
    }
    Ok(list.into_any().unbind())
}

pub(super) fn listed(
    py: Python<'_>,
    answer: Result<Vec<GroupListing>, ClientError>,
) -> PyResult<Py<PyAny>> {
    listings(py, answer.map_err(|failure| error::client(py, &failure))?)
}

pub(super) fn listings(py: Python<'_>, groups: Vec<GroupListing>) -> PyResult<Py<PyAny>> {
    let one = |group: GroupListing| {
        (
            group.group_id,
            group.protocol_type,
            group.state,
            group.group_type,
        )
    };
    groups
        .into_iter()
        .map(one)
        .collect::<Vec<_>>()
        .into_py_any(py)
}

pub(super) fn described_group(py: Python<'_>, group: GroupDescription) -> PyResult<Py<PyAny>> {
    let members = PyList::empty(py);
    for member in group.members {
        let assigned = |partitions: &[TopicPartition]| {
            let partitions = partitions.iter();
            let partitions = partitions.map(|one| types::topic_partition(py, one));
            PyTuple::new(py, partitions.collect::<PyResult<Vec<_>>>()?)
        };
        let target = member.target_assignment.as_deref().map(assigned);
        members.append((
            member.member_id,
            member.group_instance_id,
            member.client_id,
            member.client_host,
            assigned(&member.assignment)?,
            target.transpose()?,
        ))?;
    }
    (
        group.group_type,
        group.state,
        group.protocol_type,
        group.assignor,
        members,
        group.coordinator,
        group.authorized_operations,
    )
        .into_py_any(py)
}

pub(super) fn classic_group(py: Python<'_>, group: DescribedGroup) -> PyResult<Py<PyAny>> {
    let members = group.members.into_iter().map(|member| {
        (
            member.member_id,
            member.group_instance_id,
            member.client_id,
            member.client_host,
            PyBytes::new(py, &member.member_metadata),
            PyBytes::new(py, &member.member_assignment),
        )
    });
    let members: Vec<_> = members.collect();
    (
        group.error_code,
        group.error_message,
        group.group_state,
        group.protocol_type,
        group.protocol_data,
        members,
        group.authorized_operations,
    )
        .into_py_any(py)
}

pub(super) fn cluster(
    py: Python<'_>,
    answer: Result<ClusterDescription, ClientError>,
) -> PyResult<Py<PyAny>> {
    let found = answer.map_err(|failure| error::client(py, &failure))?;
    let brokers = found.brokers.into_iter();
    let brokers = brokers.map(|broker| (broker.id, broker.host, broker.port, broker.rack));
    let brokers: Vec<_> = brokers.collect();
    let authorized = found.authorized_operations;
    (found.cluster_id, found.controller, brokers, authorized).into_py_any(py)
}

pub(super) fn node(py: Python<'_>, answer: Result<i32, ClientError>) -> PyResult<Py<PyAny>> {
    answer
        .map_err(|failure| error::client(py, &failure))?
        .into_py_any(py)
}

pub(super) fn committed(
    py: Python<'_>,
    offsets: Vec<(TopicPartition, OffsetAndMetadata)>,
) -> PyResult<Py<PyAny>> {
    let list = PyList::empty(py);
    for (of, committed) in offsets {
        let epoch = Some(committed.leader_epoch).filter(|epoch| *epoch >= 0);
        let committed =
            types::offset_and_metadata(py, committed.offset, &committed.metadata, epoch)?;
        list.append((types::topic_partition(py, &of)?, committed))?;
    }
    Ok(list.into_any().unbind())
}

pub(super) fn listed_offset(py: Python<'_>, found: ListedOffset) -> PyResult<Py<PyAny>> {
    (found.offset, found.timestamp, found.leader_epoch).into_py_any(py)
}

type AclFields = (i8, String, i8, String, String, i8, i8);

fn acl(acl: AclBinding) -> AclFields {
    (
        acl.resource_type,
        acl.resource_name,
        acl.pattern_type,
        acl.principal,
        acl.host,
        acl.operation,
        acl.permission,
    )
}

pub(super) fn acls(
    py: Python<'_>,
    answer: Result<Vec<AclBinding>, ClientError>,
) -> PyResult<Py<PyAny>> {
    let found = answer.map_err(|failure| error::client(py, &failure))?;
    let found: Vec<AclFields> = found.into_iter().map(acl).collect();
    found.into_py_any(py)
}

/// A list of values or exceptions, in the order of the arguments.
pub(super) fn in_places<T>(
    py: Python<'_>,
    answer: Result<Vec<Result<T, ClientError>>, ClientError>,
    value: impl Fn(Python<'_>, T) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let list = PyList::empty(py);
    for outcome in answer.map_err(|failure| error::client(py, &failure))? {
        list.append(match outcome {
            Ok(found) => value(py, found)?,
            Err(failure) => error::client(py, &failure).into_value(py).into_any(),
        })?;
    }
    Ok(list.into_any().unbind())
}

pub(super) fn deleted_acls(
    py: Python<'_>,
    deleted: Outcomes<AclBinding, ()>,
) -> PyResult<Py<PyAny>> {
    let key = |py: Python<'_>, of: AclBinding| acl(of).into_py_any(py);
    outcomes(py, Ok(deleted), key, nothing)
}

pub(super) fn credentials(py: Python<'_>, told: Vec<ScramCredentialInfo>) -> PyResult<Py<PyAny>> {
    let told = told.into_iter().map(|one| (one.mechanism, one.iterations));
    told.collect::<Vec<_>>().into_py_any(py)
}

pub(super) fn done(py: Python<'_>, answer: Result<(), ClientError>) -> PyResult<Py<PyAny>> {
    answer.map_err(|failure| error::client(py, &failure))?;
    Ok(py.None())
}

pub(super) fn broker(py: Python<'_>, id: i32) -> PyResult<Py<PyAny>> {
    id.into_py_any(py)
}

pub(super) fn reassignments(
    py: Python<'_>,
    answer: Result<Vec<(TopicPartition, PartitionReassignment)>, ClientError>,
) -> PyResult<Py<PyAny>> {
    let list = PyList::empty(py);
    for (of, one) in answer.map_err(|failure| error::client(py, &failure))? {
        let moves = (one.replicas, one.adding, one.removing);
        list.append((types::topic_partition(py, &of)?, moves))?;
    }
    Ok(list.into_any().unbind())
}

pub(super) fn log_dirs(py: Python<'_>, log_dirs: Vec<LogDir>) -> PyResult<Py<PyAny>> {
    let list = PyList::empty(py);
    for log_dir in log_dirs {
        let replicas = match log_dir.replicas {
            Ok(replicas) => {
                let found = PyList::empty(py);
                for one in replicas {
                    let of = types::topic_partition(py, &one.of)?;
                    found.append((of, one.bytes, one.offset_lag, one.is_future))?;
                }
                found.into_any().unbind()
            }
            Err(failure) => error::client(py, &failure).into_value(py).into_any(),
        };
        let (total, usable) = (log_dir.total_bytes, log_dir.usable_bytes);
        list.append((log_dir.path, total, usable, log_dir.is_cordoned, replicas))?;
    }
    Ok(list.into_any().unbind())
}

pub(super) fn transactions(
    py: Python<'_>,
    answer: Result<Vec<TransactionListing>, ClientError>,
) -> PyResult<Py<PyAny>> {
    let listed = answer.map_err(|failure| error::client(py, &failure))?;
    let one = |listing: TransactionListing| {
        let TransactionListing {
            transactional_id,
            producer_id,
            state,
            coordinator,
        } = listing;
        (transactional_id, producer_id, state, coordinator)
    };
    let listed: Vec<_> = listed.into_iter().map(one).collect();
    listed.into_py_any(py)
}

pub(super) fn transaction(py: Python<'_>, found: TransactionDescription) -> PyResult<Py<PyAny>> {
    let partitions = found.partitions.iter();
    let partitions: PyResult<Vec<_>> = partitions
        .map(|of| types::topic_partition(py, of))
        .collect();
    (
        found.coordinator,
        found.state,
        found.producer_id,
        found.producer_epoch,
        found.timeout_ms,
        found.started_ms,
        PyTuple::new(py, partitions?)?,
    )
        .into_py_any(py)
}

pub(super) fn producers(py: Python<'_>, producers: Vec<ActiveProducer>) -> PyResult<Py<PyAny>> {
    let one = |producer: ActiveProducer| {
        (
            producer.producer_id,
            producer.producer_epoch,
            producer.last_sequence,
            producer.last_timestamp,
            producer.coordinator_epoch,
            producer.transaction_start_offset,
        )
    };
    let producers: Vec<_> = producers.into_iter().map(one).collect();
    producers.into_py_any(py)
}
