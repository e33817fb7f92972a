//! OffsetCommit: how requests are built, and which part of a response is about which partition.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
    OffsetCommitResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::offsets::OffsetAndMetadata;
use crate::config::TopicPartition;
use crate::group::action::RequestId;
use crate::group::member::GroupMemberIdentity;

/// The first version that names topics by identifier.
const BY_ID: i16 = 10;

/// A commit for the coordinator.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitCall {
    /// For the answer.
    pub id: RequestId,
    /// The coordinator's node id.
    pub node: i32,
    /// What to send; fields that a version lacks are dropped when encoding.
    pub request: OffsetCommitRequest,
    /// The newest version to use: since version 10 topics are named by id, and not every id is known.
    pub max_version: i16,
    /// How long to wait for the answer.
    pub timeout: Duration,
}

/// Offsets by partition and by the id of the topic in which they were reached.
pub(super) type OffsetsToSend = BTreeMap<(TopicPartition, Uuid), OffsetAndMetadata>;

/// Builds the request for `offsets`, and tells the newest version that it may be sent in.
pub(super) fn build(
    group: &str,
    identity: Option<&GroupMemberIdentity>,
    instance: Option<&str>,
    offsets: &OffsetsToSend,
) -> (OffsetCommitRequest, i16) {
    let mut topics: BTreeMap<(&Arc<str>, Uuid), Vec<OffsetCommitRequestPartition>> =
        BTreeMap::new();
    for ((partition, topic_id), committed) in offsets {
        let wire = OffsetCommitRequestPartition {
            partition_index: partition.partition,
            committed_offset: committed.offset,
            committed_leader_epoch: committed.leader_epoch,
            committed_metadata: Some(committed.metadata.to_string()),
        };
        let topic = topics.entry((&partition.topic, *topic_id));
        topic.or_default().push(wire);
    }
    let mut has_ids = true;
    let topics = topics.into_iter().map(|((name, topic_id), partitions)| {
        has_ids &= !topic_id.is_zero();
        OffsetCommitRequestTopic {
            name: name.to_string(),
            topic_id,
            partitions,
        }
    });
    let request = OffsetCommitRequest {
        group_id: group.to_owned(),
        generation_id_or_member_epoch: identity.map_or(-1, |identity| identity.generation),
        member_id: identity.map_or_else(String::new, |identity| identity.member_id.to_string()),
        group_instance_id: identity.and(instance).map(str::to_owned),
        topics: topics.collect(),
        ..OffsetCommitRequest::default()
    };
    (request, if has_ids { i16::MAX } else { BY_ID - 1 })
}

/// The error code of each partition in a response, whether topics are named by name or by id.
pub(super) fn answers(
    request: &OffsetCommitRequest,
    response: &OffsetCommitResponse,
) -> HashMap<(TopicPartition, Uuid), ErrorCode> {
    let mut ids_of: HashMap<&str, Vec<Uuid>> = HashMap::new();
    let mut names: HashMap<Uuid, &str> = HashMap::new();
    for topic in &request.topics {
        ids_of.entry(&topic.name).or_default().push(topic.topic_id);
        names.insert(topic.topic_id, &topic.name);
    }
    let mut answers = HashMap::new();
    for topic in &response.topics {
        let by_id = [topic.topic_id];
        let (name, ids) = match topic.topic_id.is_zero() {
            true => {
                let name = topic.name.as_str();
                (Some(name), ids_of.get(name).map_or(&[][..], Vec::as_slice))
            }
            false => (names.get(&topic.topic_id).copied(), &by_id[..]),
        };
        let Some(name) = name else {
            continue;
        };
        let name: Arc<str> = name.into();
        for partition in &topic.partitions {
            let place = TopicPartition {
                topic: Arc::clone(&name),
                partition: partition.partition_index,
            };
            let code = ErrorCode::from_i16(partition.error_code);
            answers.extend(ids.iter().map(|id| ((place.clone(), *id), code)));
        }
    }
    answers
}
