//! ShareAcknowledge, versions 1 and 2 (KIP-932).
//!
//! Kept: records that are accepted, released, rejected, missing, or (version 2, KIP-1222) kept longer; sessions end
//! with it, too.

use std::sync::Arc;

use kafkars_protocol::messages::share_acknowledge::{
    AcknowledgePartition, AcknowledgeTopic, LeaderIdAndEpoch, NodeEndpoint, PartitionData,
    ShareAcknowledgeRequest, ShareAcknowledgeResponse, ShareAcknowledgeTopicResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::api_78_share_fetch::{check_read, session_key};
use super::{Handled, Hints, Peer, Serve};
use crate::nodes::Node;
use crate::shares::{self, CLOSING, Changes, OPENING, ShareLimits, SharedLog};
use crate::state::State;

impl Serve for ShareAcknowledgeRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<ShareAcknowledgeResponse> {
        let mut state = peer.cluster.state();
        Handled::Now(carry_out(self, peer, &mut state).unwrap_or_else(failure))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ShareAcknowledgeResponse {
        let partition = |partition: &AcknowledgePartition| PartitionData {
            partition_index: partition.partition_index,
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..PartitionData::default()
        };
        let topic = |topic: &AcknowledgeTopic| ShareAcknowledgeTopicResponse {
            topic_id: topic.topic_id,
            partitions: topic.partitions.iter().map(partition).collect(),
        };
        match code {
            // The one error that a fault on purpose and Kafka tell of single topics.
            ErrorCode::TopicAuthorizationFailed => ShareAcknowledgeResponse {
                responses: self.topics.iter().map(topic).collect(),
                ..ShareAcknowledgeResponse::default()
            },
            code => failure(code),
        }
    }
}

fn carry_out(
    request: ShareAcknowledgeRequest,
    peer: &Peer,
    state: &mut State,
) -> Result<ShareAcknowledgeResponse, ErrorCode> {
    let key = session_key(
        peer,
        request.group_id.as_deref(),
        request.member_id.as_deref(),
    )?;
    let epoch = request.share_session_epoch;
    if epoch == OPENING {
        return Err(ErrorCode::InvalidShareSessionEpoch);
    }
    let sessions = &mut state.shares.sessions;
    let session = sessions.take(&key, epoch, peer.connection, Changes::default())?;
    let now = peer.cluster.now();
    let mut hints = Hints::default();
    let mut responses = Vec::new();
    for topic in request.topics {
        let mut partitions = Vec::new();
        for data in topic.partitions {
            let partition = (topic.topic_id, data.partition_index);
            let batches = data.acknowledgement_batches.into_iter();
            let batches = batches.map(|batch| {
                (
                    batch.first_offset,
                    batch.last_offset,
                    batch.acknowledge_types,
                )
            });
            let said = shares::parse(batches, request.is_renew_ack);
            let done = check_read(peer, state, partition)
                .and(said)
                .and_then(|said| {
                    shares::acknowledge(state.shared_log(partition)?, &key, partition, &said, now)
                });
            partitions.push(told(state, partition, done.err(), &mut hints));
        }
        responses.push(ShareAcknowledgeTopicResponse {
            topic_id: topic.topic_id,
            partitions,
        });
    }
    if epoch == CLOSING {
        state.release_shared(&key, &session);
    }
    let lock_ms = ShareLimits::of(&state.groups.configs, &key.1).lock_ms;
    let endpoint = |node: Arc<Node>| NodeEndpoint {
        node_id: node.id,
        host: node.endpoint(peer.listener).host.clone(),
        port: i32::from(node.endpoint(peer.listener).port),
        rack: None,
    };
    Ok(ShareAcknowledgeResponse {
        acquisition_lock_timeout_ms: i32::try_from(lock_ms).unwrap_or(i32::MAX),
        responses,
        node_endpoints: hints.nodes(&peer.cluster).map(endpoint).collect(),
        ..ShareAcknowledgeResponse::default()
    })
}

fn told(
    state: &mut State,
    partition: (Uuid, i32),
    code: Option<ErrorCode>,
    hints: &mut Hints,
) -> PartitionData {
    let mut data = PartitionData {
        partition_index: partition.1,
        error_code: code.map_or(0, ErrorCode::code),
        error_message: code.map(|code| code.description().to_owned()),
        ..PartitionData::default()
    };
    if code == Some(ErrorCode::NotLeaderOrFollower)
        && let Ok(SharedLog { log, .. }) = state.shared_log(partition)
    {
        hints.add(log.leader);
        data.current_leader = LeaderIdAndEpoch {
            leader_id: log.leader,
            leader_epoch: log.leader_epoch,
        };
    }
    data
}

fn failure(code: ErrorCode) -> ShareAcknowledgeResponse {
    ShareAcknowledgeResponse {
        error_code: code.code(),
        ..ShareAcknowledgeResponse::default()
    }
}
