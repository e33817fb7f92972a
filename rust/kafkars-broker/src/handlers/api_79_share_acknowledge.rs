//! ShareAcknowledge, versions 1 and 2 (KIP-932).
//!
//! Kept: records that are accepted, released, rejected, missing, or (version 2, KIP-1222) kept longer; sessions end
//! with it, too.

use kafkars_protocol::messages::share_acknowledge::{
    AcknowledgePartition, AcknowledgeTopic, LeaderIdAndEpoch, NodeEndpoint, PartitionData,
    ShareAcknowledgeRequest, ShareAcknowledgeResponse, ShareAcknowledgeTopicResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Handled, Hints, Peer, Serve, share_requests};
use crate::shares::{CLOSING, Changes, OPENING, ShareLimits, parse};
use crate::state::ClusterState;

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
    state: &mut ClusterState,
) -> Result<ShareAcknowledgeResponse, ErrorCode> {
    let key = share_requests::session_key(
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
            let said = parse(batches, request.is_renew_ack);
            let done = share_requests::carry_out(peer, state, &key, partition, said);
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
    let endpoint = |node_id, host, port| NodeEndpoint {
        node_id,
        host,
        port,
        rack: None,
    };
    Ok(ShareAcknowledgeResponse {
        acquisition_lock_timeout_ms: i32::try_from(lock_ms).unwrap_or(i32::MAX),
        responses,
        node_endpoints: hints.endpoints(&peer.cluster, peer.listener, endpoint),
        ..ShareAcknowledgeResponse::default()
    })
}

fn told(
    state: &mut ClusterState,
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
        && let Some((leader_id, leader_epoch)) = share_requests::leader(state, partition, hints)
    {
        data.current_leader = LeaderIdAndEpoch {
            leader_id,
            leader_epoch,
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
