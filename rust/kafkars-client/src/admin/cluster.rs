//! Describing the cluster: its brokers, its controller, the coordinators of groups and transactions.

use std::time::Instant;

use kafkars_core::cluster::BrokerNode;
use kafkars_core::coordinator::CoordinatorKind;
use kafkars_protocol::messages::describe_cluster::DescribeClusterRequest;
use kafkars_protocol::messages::metadata::MetadataRequest;

use super::handle::Admin;
use super::outcome::{outcome, told_operations};
use super::routing::Target;
use crate::error::{AttemptError, ClientError};

/// The Metadata versions that return the operations authorized on the cluster; later DescribeCluster does (KIP-700).
const AUTHORIZED_IN: std::ops::RangeInclusive<i16> = 8..=10;

/// A cluster as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterDescription {
    /// The cluster id; brokers before 0.10.1 have none.
    pub cluster_id: Option<String>,
    /// The node id of the controller; with KRaft that of a broker that forwards requests to it.
    pub controller: Option<i32>,
    /// The brokers, in order of their node ids.
    pub brokers: Vec<BrokerNode>,
    /// The operations authorized for this client, as a bit field of Kafka's `AclOperation`, where they were asked for.
    pub authorized_operations: Option<i32>,
}

impl Admin {
    /// Describes the brokers that are there now. Brokers since Kafka 2.3 return authorized operations.
    ///
    /// # Errors
    /// [`ClientError::Bootstrap`] without a cluster, [`ClientError::TimedOut`] at the deadline, and any other
    /// [`ClientError`] that no retry can help.
    pub async fn describe_cluster(
        &self,
        include_authorized_operations: bool,
        deadline: Instant,
    ) -> Result<ClusterDescription, ClientError> {
        // No topics: `Some(empty)`. Every version answers this, unlike DescribeCluster of 2.8.
        let request = MetadataRequest {
            topics: Some(Vec::new()),
            allow_auto_topic_creation: false,
            ..MetadataRequest::default()
        };
        let response = self
            .ask(
                Target::Any,
                |version| MetadataRequest {
                    include_cluster_authorized_operations: include_authorized_operations
                        && AUTHORIZED_IN.contains(&version),
                    ..request.clone()
                },
                |_| None,
                deadline,
            )
            .await?;
        let mut authorized_operations = told_operations(response.cluster_authorized_operations);
        if include_authorized_operations && authorized_operations.is_none() {
            authorized_operations = self.cluster_operations(deadline).await?;
        }
        let node = |broker: kafkars_protocol::messages::metadata::MetadataResponseBroker| {
            Some(BrokerNode {
                id: broker.node_id,
                host: broker.host,
                port: u16::try_from(broker.port).ok()?,
                rack: broker.rack,
            })
        };
        let mut brokers: Vec<BrokerNode> = response.brokers.into_iter().filter_map(node).collect();
        brokers.sort_unstable_by_key(|broker| broker.id);
        Ok(ClusterDescription {
            cluster_id: response.cluster_id,
            controller: Some(response.controller_id).filter(|id| *id >= 0),
            brokers,
            authorized_operations,
        })
    }

    /// The operations authorized on the cluster; `None` from brokers that do not know DescribeCluster.
    async fn cluster_operations(&self, deadline: Instant) -> Result<Option<i32>, ClientError> {
        let request = DescribeClusterRequest {
            include_cluster_authorized_operations: true,
            ..DescribeClusterRequest::default()
        };
        let asked = self
            .ask(Target::Any, |_| request.clone(), |_| None, deadline)
            .await;
        match asked {
            Ok(response) => {
                outcome(response.error_code, None, response.error_message)?;
                Ok(told_operations(response.cluster_authorized_operations))
            }
            Err(ClientError::Attempt(AttemptError::Unsupported { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Finds the node id of the broker that coordinates a group, or the transactions of a producer.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; [`ClientError::Broker`] if the cluster refuses to name one.
    pub async fn find_coordinator(
        &self,
        kind: CoordinatorKind,
        key: String,
        deadline: Instant,
    ) -> Result<i32, ClientError> {
        self.client.ready(deadline).await?;
        self.client.find_coordinator(kind, &key, deadline).await
    }
}
