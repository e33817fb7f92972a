//! Subscriptions and assignments as members of the classic protocol exchange them, as bytes that the coordinator passes
//! on.
//!
//! Both start with a version. A newer version than those known here only adds fields at the end, so it is read as the
//! newest known one (KIP-429).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use kafkars_protocol::messages::consumer_protocol_assignment::{
    ConsumerProtocolAssignment, TopicPartition as AssignedTopic,
};
use kafkars_protocol::messages::consumer_protocol_subscription::{
    ConsumerProtocolSubscription, TopicPartition as OwnedTopic,
};
use kafkars_protocol::{DecodeError, EncodeError, Message, Reader, Writer};

use super::assignor::{MemberAssignment, MemberView};
use crate::config::TopicPartition;

/// Encodes what a member tells the leader when it joins.
pub(super) fn encode_subscription(member: &MemberView) -> Result<Bytes, EncodeError> {
    let owned = by_topic(&member.owned)
        .into_iter()
        .map(|(topic, partitions)| OwnedTopic { topic, partitions })
        .collect();
    let subscription = ConsumerProtocolSubscription {
        topics: member
            .topics
            .iter()
            .map(|topic| topic.to_string())
            .collect(),
        user_data: member.user_data.clone(),
        owned_partitions: owned,
        generation_id: member.generation,
        rack_id: member.rack.as_deref().map(str::to_owned),
    };
    encode(&subscription)
}

/// Decodes what another member told when it joined.
pub(super) fn decode_subscription(
    bytes: Bytes,
    instance: Option<String>,
) -> Result<MemberView, DecodeError> {
    let subscription: ConsumerProtocolSubscription = decode(bytes)?;
    let owned = subscription
        .owned_partitions
        .into_iter()
        .flat_map(|owned| flatten(&owned.topic, owned.partitions))
        .collect();
    Ok(MemberView {
        instance: instance.map(Arc::from),
        topics: subscription.topics.into_iter().map(Arc::from).collect(),
        user_data: subscription.user_data.filter(|data| !data.is_empty()),
        owned,
        generation: subscription.generation_id,
        rack: subscription
            .rack_id
            .filter(|rack| !rack.is_empty())
            .map(Arc::from),
    })
}

/// Encodes the assignment of one member.
pub(super) fn encode_assignment(assignment: &MemberAssignment) -> Result<Bytes, EncodeError> {
    let assigned = by_topic(&assignment.partitions)
        .into_iter()
        .map(|(topic, partitions)| AssignedTopic { topic, partitions })
        .collect();
    encode(&ConsumerProtocolAssignment {
        assigned_partitions: assigned,
        user_data: assignment.user_data.clone(),
    })
}

/// Decodes the assignment of this member. No bytes at all mean no partitions: brokers send that to a member that the
/// leader left out.
pub(super) fn decode_assignment(bytes: Bytes) -> Result<MemberAssignment, Arc<str>> {
    if bytes.is_empty() {
        return Ok(MemberAssignment::default());
    }
    let assignment: ConsumerProtocolAssignment =
        decode(bytes).map_err(|cause| Arc::<str>::from(cause.to_string()))?;
    let partitions: BTreeSet<TopicPartition> = assignment
        .assigned_partitions
        .into_iter()
        .flat_map(|assigned| flatten(&assigned.topic, assigned.partitions))
        .collect();
    // The leader is another process, perhaps with another client library, so its assignment is checked.
    if let Some(wrong) = partitions.iter().find(|one| one.partition < 0) {
        return Err(format!("it has {wrong}, which no topic has").into());
    }
    Ok(MemberAssignment {
        partitions: partitions.into_iter().collect(),
        user_data: assignment.user_data,
    })
}

fn encode<M: Message>(message: &M) -> Result<Bytes, EncodeError> {
    let version = M::VERSIONS.max;
    let mut writer = Writer::new();
    writer.i16(version);
    message.encode(&mut writer, version)?;
    Ok(writer.finish().to_bytes())
}

fn decode<M: Message>(bytes: Bytes) -> Result<M, DecodeError> {
    let mut reader = Reader::new(bytes);
    let version = reader.i16("Version")?;
    M::decode(&mut reader, version.min(M::VERSIONS.max))
}

fn by_topic(partitions: &[TopicPartition]) -> BTreeMap<String, Vec<i32>> {
    let mut topics: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    for partition in partitions {
        topics
            .entry(partition.topic.to_string())
            .or_default()
            .push(partition.partition);
    }
    topics
}

fn flatten(topic: &str, partitions: Vec<i32>) -> impl Iterator<Item = TopicPartition> + use<> {
    let topic: Arc<str> = topic.into();
    partitions.into_iter().map(move |partition| TopicPartition {
        topic: Arc::clone(&topic),
        partition,
    })
}
