//! Consumers of the classic protocol tell each other their subscriptions and assignments through the group: the
//! coordinator reads and writes both where it converts a group.

use std::collections::BTreeMap;

use bytes::Bytes;
use kafkars_protocol::messages::consumer_protocol_assignment::{
    ConsumerProtocolAssignment, TopicPartition,
};
use kafkars_protocol::messages::consumer_protocol_subscription::ConsumerProtocolSubscription;
use kafkars_protocol::{Message, Reader, VersionRange, Writer};

/// A consumer's subscription, from the metadata that it joined with; none if the bytes are something else.
pub(in crate::groups) fn subscription(metadata: Bytes) -> Option<ConsumerProtocolSubscription> {
    let mut reader = Reader::new(metadata);
    let version = version(&mut reader, ConsumerProtocolSubscription::VERSIONS)?;
    ConsumerProtocolSubscription::decode(&mut reader, version).ok()
}

/// A consumer's assignment, as its leader has sent it; none if the bytes are something else.
pub(in crate::groups) fn assignment(assignment: Bytes) -> Option<ConsumerProtocolAssignment> {
    let mut reader = Reader::new(assignment);
    let version = version(&mut reader, ConsumerProtocolAssignment::VERSIONS)?;
    ConsumerProtocolAssignment::decode(&mut reader, version).ok()
}

/// Encodes an assignment in the version of the subscription that a consumer has joined with.
pub(in crate::groups) fn encode_assignment(
    subscription: Bytes,
    partitions: BTreeMap<&str, Vec<i32>>,
) -> Bytes {
    let versions = ConsumerProtocolAssignment::VERSIONS;
    let version = version(&mut Reader::new(subscription), versions).unwrap_or(versions.min);
    let topics = partitions.into_iter();
    let assignment = ConsumerProtocolAssignment {
        assigned_partitions: topics
            .map(|(topic, partitions)| TopicPartition {
                topic: topic.to_owned(),
                partitions,
            })
            .collect(),
        user_data: None,
    };
    let mut writer = Writer::new();
    writer.i16(version);
    // Every topic's name came in through a request, so it fits into one.
    match assignment.encode(&mut writer, version) {
        Ok(()) => writer.finish().to_bytes(),
        Err(_) => Bytes::new(),
    }
}

/// The version to decode with: later versions only add fields behind those of earlier ones.
fn version(reader: &mut Reader, known: VersionRange) -> Option<i16> {
    let version = reader.i16("Version").ok()?;
    (version >= known.min).then(|| version.min(known.max))
}
