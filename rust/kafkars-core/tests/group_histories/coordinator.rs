//! What both model coordinators have: tickets for answers, and committed offsets.

use std::collections::BTreeMap;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{GroupRequest, GroupResponse};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitResponse, OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
};

/// Where an answer goes.
pub(crate) type Ticket = u64;

/// The group's side of the protocols.
pub(crate) trait Coordinator {
    /// A request arrived; answers may come at once or later.
    fn handle(&mut self, now: Instant, ticket: Ticket, request: GroupRequest);
    /// Sessions and deadlines.
    fn tick(&mut self, now: Instant);
    /// Answers given since the last call.
    fn answers(&mut self) -> Vec<(Ticket, GroupResponse)>;
    /// Another broker takes over: what is not on disk is lost, sessions start anew. Returns the tickets that get no
    /// answer.
    fn move_over(&mut self, now: Instant) -> Vec<Ticket>;
    /// Whether this member may commit.
    fn commit_error(&mut self, now: Instant, member: &str, generation: i32) -> ErrorCode;
    /// Whether nobody is a member: then anybody may commit.
    fn is_empty(&self) -> bool;
    /// Whether everybody has what it should have, and nobody is remembered who is gone: there are `live` members.
    fn is_at_rest(&self, live: usize) -> bool;
}

/// Committed offsets.
#[derive(Default)]
pub(crate) struct Offsets {
    committed: BTreeMap<TopicPartition, i64>,
    highest: BTreeMap<TopicPartition, i64>,
}

impl Offsets {
    pub(crate) fn of(&self, partition: &TopicPartition) -> i64 {
        self.committed.get(partition).copied().unwrap_or(0)
    }

    pub(crate) fn commit(&mut self, partition: TopicPartition, offset: i64) {
        let highest = self.highest.entry(partition.clone()).or_default();
        *highest = offset.max(*highest);
        self.committed.insert(partition, offset);
    }

    /// The highest offset that was ever committed.
    pub(crate) fn highest(&self, partition: &TopicPartition) -> i64 {
        self.highest.get(partition).copied().unwrap_or(0)
    }
}

/// Partitions and offsets of a commit.
pub(crate) fn commits(request: &OffsetCommitRequest) -> Vec<(TopicPartition, i64)> {
    let topics = request.topics.iter().flat_map(|topic| {
        topic.partitions.iter().map(|partition| {
            let place = TopicPartition {
                topic: topic.name.as_str().into(),
                partition: partition.partition_index,
            };
            (place, partition.committed_offset)
        })
    });
    topics.collect()
}

/// The same word on every partition.
pub(crate) fn commit_answer(
    request: &OffsetCommitRequest,
    code: ErrorCode,
) -> OffsetCommitResponse {
    let topics = request
        .topics
        .iter()
        .map(|topic| OffsetCommitResponseTopic {
            name: topic.name.clone(),
            topic_id: topic.topic_id,
            partitions: topic
                .partitions
                .iter()
                .map(|partition| OffsetCommitResponsePartition {
                    partition_index: partition.partition_index,
                    error_code: code.code(),
                })
                .collect(),
        });
    OffsetCommitResponse {
        topics: topics.collect(),
        ..OffsetCommitResponse::default()
    }
}
