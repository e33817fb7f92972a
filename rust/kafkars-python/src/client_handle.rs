//! The metadata of a client's cluster as Python sees it, for faces that show it as objects of their own.

use std::time::Instant;

use kafkars_client::{Client, ClientError, ConnectionKind, PartitionMetadata, TopicMetadata};
use kafkars_protocol::ErrorCode;
use pyo3::prelude::*;

use crate::aio::{self, AwaitableCall, Forgotten};
use crate::runtime::ForkGuard;
use crate::{error, types};

/// A view of the client of a producer, consumer or administrator. It keeps the client's metadata, not its connections:
/// these end when their owner is closed.
#[pyclass(name = "ClientHandle", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyClientHandle {
    client: Client,
    fork_guard: ForkGuard,
}

/// Version, the controller's node id or None, brokers and topics.
type ClusterFields = (u64, Option<i32>, Vec<BrokerFields>, Vec<TopicFields>);
/// Node id, host, port and rack.
type BrokerFields = (i32, String, u16, Option<String>);
/// Name, error code, whether it is internal, partitions.
type TopicFields = (String, i16, bool, Vec<PartitionFields>);
/// Number, error code, the leader's node id or -1, replicas, replicas in sync.
type PartitionFields = (i32, i16, i32, Vec<i32>, Vec<i32>);

impl PyClientHandle {
    pub(crate) fn of(client: &Client) -> Self {
        Self {
            client: client.clone(),
            fork_guard: ForkGuard::here(),
        }
    }
}

#[pymethods]
impl PyClientHandle {
    /// The brokers, and the topics that were asked for; None if that is still `version`, which is 0 before anything
    /// is known. Nothing is asked of the cluster.
    fn cluster(&self, version: u64) -> Option<ClusterFields> {
        let cluster = self.client.cluster();
        if cluster.version == version {
            return None;
        }
        let brokers = cluster.brokers().map(|node| {
            let (host, rack) = (node.host.clone(), node.rack.clone());
            (node.id, host, node.port, rack)
        });
        let topics = cluster.topics().map(|found| topic(found));
        Some((
            cluster.version,
            cluster.controller,
            brokers.collect(),
            topics.collect(),
        ))
    }

    /// Asks for the metadata of all topics in use and of these, which may create them. Fails as soon as no address
    /// has answered.
    fn refresh(&self, topics: Vec<String>, timeout: f64) -> PyResult<AwaitableCall> {
        self.fork_guard.check()?;
        let deadline = Instant::now() + types::timeout(Some(timeout))?.unwrap_or_default();
        let client = self.client.clone();
        let refreshed = async move {
            let names: Vec<&str> = topics.iter().map(String::as_str).collect();
            client.refreshed(&names, deadline).await
        };
        aio::spawn(Forgotten::GoesOn, refreshed, done)
    }

    /// Takes topics out of use.
    fn forget(&self, topics: Vec<String>) {
        let names: Vec<&str> = topics.iter().map(String::as_str).collect();
        self.client.forget_topics(&names);
    }

    /// Connects to a broker, unless there is a connection.
    fn connect(&self, node: i32, timeout: f64) -> PyResult<AwaitableCall> {
        self.fork_guard.check()?;
        let deadline = Instant::now() + types::timeout(Some(timeout))?.unwrap_or_default();
        let client = self.client.clone();
        let connected = async move {
            let kind = ConnectionKind::Coordinator;
            let connection = client.connection(node, kind, deadline).await;
            connection.map(drop).map_err(ClientError::Attempt)
        };
        aio::spawn(Forgotten::GoesOn, connected, done)
    }
}

fn topic(topic: &TopicMetadata) -> TopicFields {
    let partitions = topic.partitions.iter().map(partition);
    (
        topic.name.clone(),
        topic.error.map_or(0, ErrorCode::code),
        topic.is_internal,
        partitions.collect(),
    )
}

fn partition(partition: &PartitionMetadata) -> PartitionFields {
    (
        partition.partition,
        partition.error.map_or(0, ErrorCode::code),
        partition.leader.unwrap_or(-1),
        partition.replicas.to_vec(),
        partition.isr.to_vec(),
    )
}

fn done(py: Python<'_>, outcome: Result<(), ClientError>) -> PyResult<Py<PyAny>> {
    match outcome {
        Ok(()) => Ok(py.None()),
        Err(failure) => Err(error::client(py, &failure)),
    }
}
