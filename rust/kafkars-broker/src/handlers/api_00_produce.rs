//! Produce, versions 3 to 13.
//!
//! Kept: acks 0, 1 and all; one batch of format 2 per partition, checked to its last record; idempotent sequences with duplicates
//! recognised; `max.message.bytes`, timestamp type and bounds; leader hints since version 10 (KIP-951), topic ids since 13.
//! With acks=0 an error closes the connection, which is all that such a client can be told.
//!
//! Skipped: transactions (INVALID_TXN_STATE), and waiting for replicas, which are never behind.
//!
//! Version 5 added the log start offset, 8 the records to blame (KIP-467), 9 is the first flexible one.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::produce::{
    BatchIndexAndErrorMessage, LeaderIdAndEpoch, NodeEndpoint, PartitionProduceData,
    PartitionProduceResponse, ProduceRequest, ProduceResponse, TopicProduceData,
    TopicProduceResponse,
};

use super::hints::Hints;
use super::{Answer, Peer, Serve};
use crate::cluster::{Cluster, State, TopicKey};
use crate::incoming::{self, Refusal};
use crate::nodes::Node;
use crate::partition::Placed;

/// First version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 13;
/// First version that tells where the leader is.
const HINTS_SINCE: i16 = 10;

impl Serve for ProduceRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<ProduceResponse> {
        if !(-1..=1).contains(&self.acks) {
            return Answer::Now(self.refuse(peer, version, ErrorCode::InvalidRequiredAcks));
        }
        let acks = self.acks;
        let mut append = Append {
            cluster: &peer.cluster,
            node: peer.node,
            version,
            now: peer.cluster.now(),
            hints: Hints::default(),
            failed: false,
        };
        let mut state = peer.cluster.state();
        let responses = self
            .topic_data
            .into_iter()
            .map(|topic| append.topic(&mut state, topic))
            .collect();
        drop(state);
        if acks == 0 {
            return if append.failed {
                Answer::Disconnect
            } else {
                Answer::Silence
            };
        }
        Answer::Now(ProduceResponse {
            responses,
            node_endpoints: append.endpoints(),
            ..ProduceResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ProduceResponse {
        let topic = |topic: &TopicProduceData| TopicProduceResponse {
            name: topic.name.clone(),
            topic_id: topic.topic_id,
            partition_responses: topic
                .partition_data
                .iter()
                .map(|data| failure(data.index, code.into()))
                .collect(),
        };
        ProduceResponse {
            responses: self.topic_data.iter().map(topic).collect(),
            ..ProduceResponse::default()
        }
    }

    fn expects_answer(&self) -> bool {
        self.acks != 0
    }
}

/// One produce request on its way into the logs.
struct Append<'a> {
    cluster: &'a Cluster,
    node: i32,
    version: i16,
    now: i64,
    hints: Hints,
    failed: bool,
}

impl Append<'_> {
    fn topic(&mut self, state: &mut State, topic: TopicProduceData) -> TopicProduceResponse {
        let TopicProduceData {
            name,
            topic_id,
            partition_data,
        } = topic;
        let key = if self.version >= TOPIC_IDS_SINCE {
            TopicKey::Id(topic_id)
        } else {
            TopicKey::Name(name.clone())
        };
        let partition_responses = partition_data
            .into_iter()
            .map(|data| self.partition(state, &key, data))
            .collect();
        TopicProduceResponse {
            name,
            topic_id,
            partition_responses,
        }
    }

    fn partition(
        &mut self,
        state: &mut State,
        key: &TopicKey,
        data: PartitionProduceData,
    ) -> PartitionProduceResponse {
        let index = data.index;
        let mut response = match self.append(state, key, data) {
            Ok(placed) => PartitionProduceResponse {
                index,
                base_offset: placed.base_offset,
                log_append_time_ms: placed.append_time.unwrap_or(-1),
                ..PartitionProduceResponse::default()
            },
            Err(refusal) => {
                self.failed = true;
                failure(index, refusal)
            }
        };
        let Ok(partition) = state.find_partition(key, index) else {
            return response;
        };
        response.log_start_offset = partition.log.start_offset();
        if response.error_code == ErrorCode::NotLeaderOrFollower.code()
            && self.version >= HINTS_SINCE
        {
            self.hints.add(partition.leader);
            response.current_leader = LeaderIdAndEpoch {
                leader_id: partition.leader,
                leader_epoch: partition.leader_epoch,
            };
        }
        response
    }

    fn append(
        &self,
        state: &mut State,
        key: &TopicKey,
        data: PartitionProduceData,
    ) -> Result<Placed, Refusal> {
        let topic = state.find(key)?;
        // A partition and the settings of its topic are borrowed side by side.
        let config = &topic.config;
        let partition = usize::try_from(data.index)
            .ok()
            .and_then(|index| topic.partitions.get_mut(index));
        let partition = partition.ok_or(ErrorCode::UnknownTopicOrPartition)?;
        if partition.leader != self.node {
            return Err(ErrorCode::NotLeaderOrFollower.into());
        }
        let batch = incoming::check(data.records, self.version, config, self.now)?;
        if batch.raw.header.attributes.is_transactional() {
            return Err(Refusal::new(
                ErrorCode::InvalidTxnState,
                "This broker has no transactions.",
            ));
        }
        partition.append(&batch, config, self.now)
    }

    fn endpoints(&self) -> Vec<NodeEndpoint> {
        let endpoint = |node: Arc<Node>| NodeEndpoint {
            node_id: node.id,
            host: node.advertised_host.clone(),
            port: i32::from(node.advertised_port),
            rack: None,
        };
        self.hints.nodes(self.cluster).map(endpoint).collect()
    }
}

fn failure(index: i32, refusal: Refusal) -> PartitionProduceResponse {
    let blame = |(batch_index, message): (i32, String)| BatchIndexAndErrorMessage {
        batch_index,
        batch_index_error_message: Some(message),
    };
    PartitionProduceResponse {
        index,
        error_code: refusal.code.code(),
        base_offset: -1,
        log_append_time_ms: -1,
        log_start_offset: -1,
        record_errors: refusal.records.into_iter().map(blame).collect(),
        error_message: refusal.message,
        ..PartitionProduceResponse::default()
    }
}
