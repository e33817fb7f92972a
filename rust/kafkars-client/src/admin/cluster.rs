//! The cluster itself: its brokers.

use std::time::Instant;

use kafkars_core::cluster::BrokerNode;
use kafkars_protocol::messages::metadata::MetadataRequest;

use super::Admin;
use super::routing::Target;
use crate::client::CoordinatorKind;
use crate::error::ClientError;

/// What a cluster says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterDescription {
    /// Its name for itself; brokers before 0.10.1 have none.
    pub cluster_id: Option<String>,
    /// Where to send what only a controller may do.
    pub controller: Option<i32>,
    /// Its brokers, in order of their numbers.
    pub brokers: Vec<BrokerNode>,
}

impl Admin {
    /// The brokers that are there now.
    pub async fn describe_cluster(
        &self,
        deadline: Instant,
    ) -> Result<ClusterDescription, ClientError> {
        // No topics: `Some(empty)`. Every version answers this, unlike DescribeCluster of 2.8.
        let request = MetadataRequest {
            topics: Some(Vec::new()),
            allow_auto_topic_creation: false,
            ..MetadataRequest::default()
        };
        let response = self
            .ask(Target::Any, |_| request.clone(), |_| None, deadline)
            .await?;
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
        })
    }
    /// The number of the broker that coordinates a group, or the transactions of a producer.
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
