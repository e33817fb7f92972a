//! OffsetFetch, versions 1 to 10.
//!
//! Kept: committed offsets of one group, of several (version 8, KIP-709), of all its partitions (null, version 2), by
//! topic id (10); waiting for stable offsets (7, KIP-447); members and their epochs (9, KIP-848).

use kafkars_protocol::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics, OffsetFetchResponse,
    OffsetFetchResponseGroup, OffsetFetchResponsePartition, OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic, OffsetFetchResponseTopics,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Handled, Peer, Serve, coordination};
use crate::state::ClusterState;

/// First version that asks for several groups.
const GROUPS_SINCE: i16 = 8;
/// First version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 10;

impl Serve for OffsetFetchRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<OffsetFetchResponse> {
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let answer = |group: &OffsetFetchRequestGroup| {
            let allowed = coordination::check_group(peer, &group.group_id).and_then(|()| {
                let member = group.member_id.as_deref().unwrap_or_default();
                let groups = &mut state.groups;
                groups.check_offset_fetch(&group.group_id, member, group.member_epoch, now)
            });
            match allowed {
                Ok(()) => look_up(&state, group, version, self.require_stable),
                Err(code) => refused(group, code),
            }
        };
        Handled::Now(respond(&self, version, answer))
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> OffsetFetchResponse {
        respond(self, version, |group| refused(group, code))
    }
}

/// Before version 8 there is one group, and its answer stands where later the list of groups does.
fn respond(
    request: &OffsetFetchRequest,
    version: i16,
    mut answer: impl FnMut(&OffsetFetchRequestGroup) -> OffsetFetchResponseGroup,
) -> OffsetFetchResponse {
    if version >= GROUPS_SINCE {
        let groups = request.groups.iter().map(answer).collect();
        return OffsetFetchResponse {
            groups,
            ..OffsetFetchResponse::default()
        };
    }
    let topic = |topic: &kafkars_protocol::messages::offset_fetch::OffsetFetchRequestTopic| {
        OffsetFetchRequestTopics {
            name: topic.name.clone(),
            topic_id: Uuid::ZERO,
            partition_indexes: topic.partition_indexes.clone(),
        }
    };
    let topics = request
        .topics
        .as_ref()
        .map(|topics| topics.iter().map(topic).collect());
    let group = OffsetFetchRequestGroup {
        group_id: request.group_id.clone(),
        topics,
        ..OffsetFetchRequestGroup::default()
    };
    let OffsetFetchResponseGroup {
        topics, error_code, ..
    } = answer(&group);
    let partition = |data: OffsetFetchResponsePartitions| OffsetFetchResponsePartition {
        partition_index: data.partition_index,
        committed_offset: data.committed_offset,
        committed_leader_epoch: data.committed_leader_epoch,
        metadata: data.metadata,
        // Version 1 has no place for an error of the whole group.
        error_code: if version < 2 {
            error_code
        } else {
            data.error_code
        },
    };
    let topic = |topic: OffsetFetchResponseTopics| OffsetFetchResponseTopic {
        name: topic.name,
        partitions: topic.partitions.into_iter().map(partition).collect(),
    };
    OffsetFetchResponse {
        topics: topics.into_iter().map(topic).collect(),
        error_code,
        ..OffsetFetchResponse::default()
    }
}

fn look_up(
    state: &ClusterState,
    group: &OffsetFetchRequestGroup,
    version: i16,
    require_stable: bool,
) -> OffsetFetchResponseGroup {
    let wanted: Vec<OffsetFetchRequestTopics> = match &group.topics {
        Some(topics) => topics.clone(),
        None => {
            let all = state.groups.offsets.partitions(&group.group_id).into_iter();
            all.map(|(name, partition_indexes)| OffsetFetchRequestTopics {
                name: name.to_owned(),
                topic_id: state.topic(name).map_or(Uuid::ZERO, |topic| topic.id),
                partition_indexes,
            })
            .collect()
        }
    };
    let by_id = version >= TOPIC_IDS_SINCE;
    let topic = |topic: OffsetFetchRequestTopics| {
        let name = if by_id {
            state
                .topic_by_id(topic.topic_id)
                .map(|topic| topic.name.clone())
        } else {
            Some(topic.name)
        };
        let partition = |index: &i32| match &name {
            Some(name) => committed(state, &group.group_id, name, *index, require_stable),
            None => nothing(*index, Some(ErrorCode::UnknownTopicId)),
        };
        let partitions = topic.partition_indexes.iter().map(partition).collect();
        OffsetFetchResponseTopics {
            topic_id: topic.topic_id,
            partitions,
            name: name.unwrap_or_default(),
        }
    };
    OffsetFetchResponseGroup {
        group_id: group.group_id.clone(),
        topics: wanted.into_iter().map(topic).collect(),
        error_code: 0,
    }
}

fn committed(
    state: &ClusterState,
    group: &str,
    topic: &str,
    partition: i32,
    require_stable: bool,
) -> OffsetFetchResponsePartitions {
    let offsets = &state.groups.offsets;
    if require_stable && offsets.is_pending(group, topic, partition) {
        return nothing(partition, Some(ErrorCode::UnstableOffsetCommit));
    }
    match offsets.committed(group, topic, partition) {
        Some(committed) => OffsetFetchResponsePartitions {
            partition_index: partition,
            committed_offset: committed.offset,
            committed_leader_epoch: committed.leader_epoch,
            metadata: Some(committed.metadata.clone()),
            error_code: 0,
        },
        None => nothing(partition, None),
    }
}

fn nothing(partition_index: i32, code: Option<ErrorCode>) -> OffsetFetchResponsePartitions {
    OffsetFetchResponsePartitions {
        partition_index,
        committed_offset: -1,
        committed_leader_epoch: -1,
        metadata: Some(String::new()),
        error_code: code.map_or(0, ErrorCode::code),
    }
}

fn refused(group: &OffsetFetchRequestGroup, code: ErrorCode) -> OffsetFetchResponseGroup {
    let topic = |topic: &OffsetFetchRequestTopics| OffsetFetchResponseTopics {
        name: topic.name.clone(),
        topic_id: topic.topic_id,
        partitions: topic
            .partition_indexes
            .iter()
            .map(|index| nothing(*index, Some(code)))
            .collect(),
    };
    OffsetFetchResponseGroup {
        group_id: group.group_id.clone(),
        topics: group.topics.iter().flatten().map(topic).collect(),
        error_code: code.code(),
    }
}
