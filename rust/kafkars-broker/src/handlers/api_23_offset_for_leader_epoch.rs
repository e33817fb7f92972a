//! OffsetForLeaderEpoch, versions 2 to 4.
//!
//! Kept: where an epoch ended in the log, and the fencing of clients that believe in another leader (KIP-320).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_for_leader_epoch::{
    EpochEndOffset, OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition, OffsetForLeaderTopic, OffsetForLeaderTopicResult,
};

use super::{Handled, Peer, Serve};
use crate::state::State;
use crate::topic::TopicKey;

impl Serve for OffsetForLeaderEpochRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<OffsetForLeaderEpochResponse> {
        let mut state = peer.cluster.state();
        let mut topic = |topic: OffsetForLeaderTopic| {
            let key = TopicKey::Name(topic.topic.clone());
            let partition = |data: &OffsetForLeaderPartition| {
                look_up(&mut state, &key, peer.node, data)
                    .unwrap_or_else(|code| failure(data.partition, code))
            };
            OffsetForLeaderTopicResult {
                topic: topic.topic,
                partitions: topic.partitions.iter().map(partition).collect(),
            }
        };
        let topics = self.topics.into_iter().map(&mut topic).collect();
        Handled::Now(OffsetForLeaderEpochResponse {
            throttle_time_ms: 0,
            topics,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> OffsetForLeaderEpochResponse {
        let topic = |topic: &OffsetForLeaderTopic| OffsetForLeaderTopicResult {
            topic: topic.topic.clone(),
            partitions: topic
                .partitions
                .iter()
                .map(|data| failure(data.partition, code))
                .collect(),
        };
        OffsetForLeaderEpochResponse {
            throttle_time_ms: 0,
            topics: self.topics.iter().map(topic).collect(),
        }
    }
}

fn look_up(
    state: &mut State,
    key: &TopicKey,
    node: i32,
    data: &OffsetForLeaderPartition,
) -> Result<EpochEndOffset, ErrorCode> {
    let partition = state.find_partition(key, data.partition)?;
    if partition.leader != node {
        return Err(ErrorCode::NotLeaderOrFollower);
    }
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
