//! What both model coordinators share: call_ids for responses, and committed offsets.

use std::collections::BTreeMap;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{GroupRequest, GroupResponse};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitResponse, OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
};

/// Identifies a request, for its response.
pub(crate) type CallId = u64;

/// The group's side of the protocols.
pub(crate) trait Coordinator {
    /// Handles a request; its response may come at once or later.
    fn handle(&mut self, now: Instant, call_id: CallId, request: GroupRequest);
    /// Ends sessions and rebalances whose time has passed.
    fn tick(&mut self, now: Instant);
    /// Answers given since the last call.
    fn answers(&mut self) -> Vec<(CallId, GroupResponse)>;
    /// Moves to another broker: what is not stored is lost, and sessions start anew. Returns the call_ids that get no
    /// response.
    fn move_over(&mut self, now: Instant) -> Vec<CallId>;
    /// The error code for a commit of this member; `ErrorCode::None` if it may commit.
    fn commit_error(&mut self, now: Instant, member: &str, generation: i32) -> ErrorCode;
    /// True if there are no members, so that commits without a member id are accepted.
    fn is_empty(&self) -> bool;
    /// True if there are exactly `live` members and no rebalance is under way.
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

/// The response with the same code for every partition.
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
