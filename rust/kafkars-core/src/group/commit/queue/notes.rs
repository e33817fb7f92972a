//! Metadata of offsets that the coordinator finds too long (OFFSET_METADATA_TOO_LARGE): that is no refusal of commits
//! that had less to say, and were not sent because a later one has gone further.

use kafkars_protocol::Uuid;
use kafkars_protocol::messages::offset_commit::OffsetCommitRequest;

use super::Open;
use crate::config::TopicPartition;
use crate::group::commit::offsets::OffsetAndMetadata;

/// The length of metadata as brokers count it, in UTF-16 units.
pub(super) fn length(metadata: &str) -> usize {
    metadata.encode_utf16().count()
}

impl Open {
    /// Sends a later offset instead, which may have arrived already.
    pub(super) fn overtake(&mut self, later: OffsetAndMetadata) {
        let longest = length(&later.metadata);
        let before = std::mem::replace(&mut self.offset, later);
        self.earlier.push(before);
        self.earlier.retain(|one| length(&one.metadata) < longest);
    }

    /// Falls back on the latest offset whose metadata is shorter than what was sent; true if there is one.
    pub(super) fn fall_back(
        &mut self,
        partition: &TopicPartition,
        sent: &OffsetCommitRequest,
    ) -> bool {
        let topic_id = self.offset.topic_id;
        let too_long = sent_length(partition, topic_id, sent);
        while length(&self.offset.metadata) >= too_long {
            let Some(earlier) = self.earlier.pop() else {
                return false;
            };
            self.offset = OffsetAndMetadata {
                topic_id,
                ..earlier
            };
        }
        true
    }
}

/// How long the metadata was that a request had for a partition; topics and partitions of requests are in order.
fn sent_length(partition: &TopicPartition, topic_id: Uuid, sent: &OffsetCommitRequest) -> usize {
    let name = (&*partition.topic, topic_id);
    let topics = &sent.topics;
    let topic = topics.binary_search_by(|topic| (&*topic.name, topic.topic_id).cmp(&name));
    let partitions = topic.map_or(&[][..], |index| &topics[index].partitions);
    let number = partition.partition;
    let found = partitions.binary_search_by_key(&number, |one| one.partition_index);
    let metadata = found.map(|index| partitions[index].committed_metadata.as_deref());
    metadata.ok().flatten().map_or(0, length)
}
