//! The OffsetCommit request, and which of its answers is about which partition.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
    OffsetCommitResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::Offsets;
use crate::cluster::Cluster;
use crate::config::TopicPartition;
use crate::group::action::RequestId;
use crate::group::member::Identity;

/// The first version that names topics by identifier.
const BY_ID: i16 = 10;

/// A commit for the coordinator.
#[derive(Debug, Clone, PartialEq)]
pub struct OutgoingCommit {
    /// For the answer.
    pub id: RequestId,
    /// The coordinator's broker number.
    pub node: i32,
    /// What to send; fields that a version lacks are dropped when encoding.
    pub request: OffsetCommitRequest,
    /// The newest version that can carry it: not every topic's identifier is known.
    pub max_version: i16,
    /// How long to wait for the answer.
    pub timeout: Duration,
}

/// The request for `offsets`, and the newest version it may travel in.
pub(super) fn build(
    group: &str,
    identity: Option<&Identity>,
    instance: Option<&str>,
    offsets: &Offsets,
    cluster: &Cluster,
) -> (OffsetCommitRequest, i16) {
    let mut topics: BTreeMap<&Arc<str>, Vec<OffsetCommitRequestPartition>> = BTreeMap::new();
    for (partition, committed) in offsets {
        let wire = OffsetCommitRequestPartition {
            partition_index: partition.partition,
            committed_offset: committed.offset,
            committed_leader_epoch: committed.leader_epoch,
            committed_metadata: Some(committed.metadata.to_string()),
        };
        topics.entry(&partition.topic).or_default().push(wire);
    }
    let mut has_ids = true;
    let topics = topics.into_iter().map(|(name, partitions)| {
        let topic_id = cluster.topic(name).map_or(Uuid::ZERO, |topic| topic.id);
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

/// The coordinator's word on each partition, whichever way the topics are named.
pub(super) fn answers(
    request: &OffsetCommitRequest,
    response: &OffsetCommitResponse,
) -> HashMap<TopicPartition, ErrorCode> {
    let names: HashMap<Uuid, &str> = request
        .topics
        .iter()
        .map(|topic| (topic.topic_id, topic.name.as_str()))
        .collect();
    let mut answers = HashMap::new();
    for topic in &response.topics {
        let name = match topic.name.is_empty() {
            false => topic.name.as_str(),
            true => match names.get(&topic.topic_id) {
                Some(name) => name,
                None => continue,
            },
        };
        let name: Arc<str> = name.into();
        for partition in &topic.partitions {
            let place = TopicPartition {
                topic: Arc::clone(&name),
                partition: partition.partition_index,
            };
            answers.insert(place, ErrorCode::from_i16(partition.error_code));
        }
    }
    answers
}
