//! OffsetCommit, versions 2 to 10.
//!
//! Kept: commits of members, whose generation or epoch must be the current one, and of consumers that assign their
//! partitions by hand; retention (versions 2 to 4), leader epochs (6), static members (7), topic ids (10, KIP-848).

use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitResponse,
    OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Handled, Peer, Serve, coordination};
use crate::groups::offsets::CommittedOffset;
use crate::refusal::code_of;
use crate::state::ClusterState;
use crate::topic::TopicKey;

/// First version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 10;

impl Serve for OffsetCommitRequest {
    /// A partition that is not there is refused whatever the group says of the member, as in Kafka.
    fn serve(self, peer: &Peer, version: i16) -> Handled<OffsetCommitResponse> {
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let allowed = coordination::check_group(peer, &self.group_id).and_then(|()| {
            state.groups.check_commit(
                &self.group_id,
                &self.member_id,
                self.group_instance_id.as_deref(),
                self.generation_id_or_member_epoch,
                version,
                now,
            )
        });
        let expires_at = u64::try_from(self.retention_time_ms)
            .ok()
            .map(|retention| now.saturating_add_unsigned(retention));
        Handled::Now(respond(&self, version, |topic, data| {
            let (topic, id) = known(&mut state, topic, data.partition_index)?;
            allowed?;
            state.groups.check_commit_of(
                &self.group_id,
                &self.member_id,
                self.generation_id_or_member_epoch,
                (id, data.partition_index),
            )?;
            let committed = CommittedOffset {
                offset: data.committed_offset,
                leader_epoch: data.committed_leader_epoch,
                metadata: data.committed_metadata.clone().unwrap_or_default(),
                committed_at: now,
                expires_at,
            };
            let offsets = &mut state.groups.offsets;
            offsets.commit(&self.group_id, &topic, data.partition_index, committed)
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
            error_code: code_of(&each(&key, data)),
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

/// Name and id of a topic that has this partition.
fn known(
    state: &mut ClusterState,
    key: &TopicKey,
    partition: i32,
) -> Result<(String, Uuid), ErrorCode> {
    let topic = state.find(key)?;
    match topic.partition(partition) {
        Some(_) => Ok((topic.name.clone(), topic.id)),
        None => Err(ErrorCode::UnknownTopicOrPartition),
    }
}
