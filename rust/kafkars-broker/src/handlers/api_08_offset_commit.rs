//! OffsetCommit, versions 2 to 10.
//!
//! Kept: commits of consumers that assign their partitions by hand, with leader epochs (version 6) and topic ids (10, KIP-848).
//!
//! Skipped: members. There are none, so a commit that names one is refused as Kafka refuses it in an empty group; retention, which
//! versions 2 to 4 can ask for, is for ever.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitResponse,
    OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};

use super::{Answer, Peer, Serve};
use crate::cluster::{State, TopicKey};
use crate::nodes::CoordinatorKind;
use crate::offsets::Committed;

/// First version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 10;

impl Serve for OffsetCommitRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<OffsetCommitResponse> {
        if let Err(code) = check(&self, peer) {
            return Answer::Now(self.refuse(peer, version, code));
        }
        let mut state = peer.cluster.state();
        Answer::Now(respond(&self, version, |topic, data| {
            commit(&mut state, &self.group_id, topic, data)
        }))
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> OffsetCommitResponse {
        respond(self, version, |_, _| Err(code))
    }
}

fn respond(
    request: &OffsetCommitRequest,
    version: i16,
    mut each: impl FnMut(&TopicKey, &OffsetCommitRequestPartition) -> Result<(), ErrorCode>,
) -> OffsetCommitResponse {
    let mut topics = Vec::with_capacity(request.topics.len());
    for topic in &request.topics {
        let by_id = version >= TOPIC_IDS_SINCE;
        let key = if by_id {
            TopicKey::Id(topic.topic_id)
        } else {
            TopicKey::Name(topic.name.clone())
        };
        let partition = |data: &OffsetCommitRequestPartition| OffsetCommitResponsePartition {
            partition_index: data.partition_index,
            error_code: each(&key, data).err().map_or(0, ErrorCode::code),
        };
        topics.push(OffsetCommitResponseTopic {
            name: topic.name.clone(),
            topic_id: topic.topic_id,
            partitions: topic.partitions.iter().map(partition).collect(),
        });
    }
    OffsetCommitResponse {
        throttle_time_ms: 0,
        topics,
    }
}

fn check(request: &OffsetCommitRequest, peer: &Peer) -> Result<(), ErrorCode> {
    if request.group_id.is_empty() {
        return Err(ErrorCode::InvalidGroupId);
    }
    let kind = CoordinatorKind::Group;
    if !peer.cluster.coordinates(peer.node, kind, &request.group_id) {
        return Err(ErrorCode::NotCoordinator);
    }
    if !request.member_id.is_empty() || request.group_instance_id.is_some() {
        return Err(ErrorCode::UnknownMemberId);
    }
    if request.generation_id_or_member_epoch >= 0 {
        return Err(ErrorCode::IllegalGeneration);
    }
    Ok(())
}

fn commit(
    state: &mut State,
    group: &str,
    key: &TopicKey,
    data: &OffsetCommitRequestPartition,
) -> Result<(), ErrorCode> {
    let topic = state.find(key)?;
    if topic.partition(data.partition_index).is_none() {
        return Err(ErrorCode::UnknownTopicOrPartition);
    }
    let name = topic.name.clone();
    let committed = Committed {
        offset: data.committed_offset,
        leader_epoch: data.committed_leader_epoch,
        metadata: data.committed_metadata.clone().unwrap_or_default(),
    };
    state
        .offsets
        .commit(group, &name, data.partition_index, committed)
}
