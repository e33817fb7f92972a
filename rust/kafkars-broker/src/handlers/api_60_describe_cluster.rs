//! DescribeCluster, versions 0 to 2.
//!
//! Kept: nodes and authorized operations. Controllers (`endpoint_type` 2, version 1) are not endpoints of their own
//! here (MISMATCHED_ENDPOINT_TYPE). Version 2 added fenced nodes.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_cluster::{
    DescribeClusterBroker, DescribeClusterRequest, DescribeClusterResponse,
};

use super::{Handled, Peer, Serve, operations};
use crate::nodes::EmbeddedNode;

/// `endpoint_type` of brokers.
const BROKERS: i8 = 1;

impl Serve for DescribeClusterRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DescribeClusterResponse> {
        if self.endpoint_type != BROKERS {
            return Handled::Now(self.refuse(peer, version, ErrorCode::MismatchedEndpointType));
        }
        let cluster = &peer.cluster;
        let broker = |node: &Arc<EmbeddedNode>| {
            let (host, port) = node.host_and_port(peer.listener);
            DescribeClusterBroker {
                broker_id: node.id,
                host,
                port,
                rack: None,
                is_fenced: node.is_fenced(),
            }
        };
        let nodes = if self.include_fenced_brokers {
            cluster.nodes.all()
        } else {
            cluster.nodes.alive()
        };
        let mut response = DescribeClusterResponse {
            endpoint_type: BROKERS,
            cluster_id: cluster.id.clone(),
            controller_id: cluster.controller(),
            brokers: nodes.iter().map(broker).collect(),
            ..DescribeClusterResponse::default()
        };
        if self.include_cluster_authorized_operations {
            response.cluster_authorized_operations = operations::ON_CLUSTER;
        }
        Handled::Now(response)
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeClusterResponse {
        DescribeClusterResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..DescribeClusterResponse::default()
        }
    }
}
