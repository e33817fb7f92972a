//! OffsetForLeaderEpoch, versions 2 to 4.
//!
//! Kept: where an epoch ended in the log, and the fencing of clients that believe in another leader (KIP-320).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_for_leader_epoch::{
    EpochEndOffset, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition, OffsetForLeaderTopic, OffsetForLeaderTopicResult,
};

use super::{Handled, Peer, Serve};
use crate::state::ClusterState;
use crate::topic::TopicKey;

impl Serve for OffsetForLeaderEpochRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<OffsetForLeaderEpochResponse> {
        let mut state = peer.cluster.state();
        Handled::Now(respond(&self, |key, data| {
            look_up(&mut state, key, peer.node, data)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> OffsetForLeaderEpochResponse {
        respond(self, |_, _| Err(code))
    }
}

fn respond(
    request: &OffsetForLeaderEpochRequest,
    mut each: impl FnMut(&TopicKey, &OffsetForLeaderPartition) -> Result<EpochEndOffset, ErrorCode>,
) -> OffsetForLeaderEpochResponse {
    let mut topic = |topic: &OffsetForLeaderTopic| {
        let key = TopicKey::Name(topic.topic.clone());
        let partition = |data: &OffsetForLeaderPartition| {
            each(&key, data).unwrap_or_else(|code| failure(data.partition, code))
        };
        OffsetForLeaderTopicResult {
            topic: topic.topic.clone(),
            partitions: topic.partitions.iter().map(partition).collect(),
        }
    };
    OffsetForLeaderEpochResponse {
        throttle_time_ms: 0,
        topics: request.topics.iter().map(&mut topic).collect(),
    }
}

fn look_up(
    state: &mut ClusterState,
    key: &TopicKey,
    node: i32,
    data: &OffsetForLeaderPartition,
) -> Result<EpochEndOffset, ErrorCode> {
    let partition = state.led_partition(key, data.partition, node)?;
    partition.check_epoch(data.current_leader_epoch)?;
    let (leader_epoch, end_offset) = partition.end_of_epoch(data.leader_epoch);
    Ok(EpochEndOffset {
        error_code: 0,
        partition: data.partition,
        leader_epoch,
        end_offset,
    })
}

fn failure(partition: i32, code: ErrorCode) -> EpochEndOffset {
    EpochEndOffset {
        error_code: code.code(),
        partition,
        leader_epoch: -1,
        end_offset: -1,
    }
}
