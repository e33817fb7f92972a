//! A consumer group as administrators see it.

use kafkars_protocol::messages::consumer_group_describe::{
    Assignment, DescribedGroup, Member, TopicPartitions,
};

use super::group::ConsumerGroup;
use super::member::ConsumerMember;
use crate::topic::{TopicIdPartition, by_topic};
use crate::topics::Topics;

/// A member of the classic protocol.
const CLASSIC_MEMBER: i8 = 0;
/// A member of the protocol of KIP-848.
const CONSUMER_MEMBER: i8 = 1;

impl ConsumerGroup {
    pub(crate) fn describe(&self, topics: &Topics<'_>) -> DescribedGroup {
        let member = |member: &ConsumerMember| self.describe_member(member, topics);
        DescribedGroup {
            group_id: self.id.clone(),
            group_state: self.state().to_owned(),
            group_epoch: self.epoch,
            assignment_epoch: self.assignment_epoch,
            assignor_name: self.assignor.clone(),
            members: self.members.values().map(member).collect(),
            ..DescribedGroup::default()
        }
    }

    fn describe_member(&self, member: &ConsumerMember, topics: &Topics<'_>) -> Member {
        let target = self.targets.get(&member.id);
        Member {
            member_id: member.id.clone(),
            instance_id: member.instance_id.clone(),
            rack_id: member.rack_id.clone(),
            member_epoch: member.epoch,
            client_id: member.client.id.clone(),
            client_host: member.client.host.clone(),
            subscribed_topic_names: member.names.iter().cloned().collect(),
            // Kafka says so also where there is none.
            subscribed_topic_regex: Some(member.regex.clone().unwrap_or_default()),
            assignment: assignment(member.assigned.keys(), topics),
            target_assignment: assignment(target.into_iter().flatten(), topics),
            member_type: if member.classic.is_some() {
                CLASSIC_MEMBER
            } else {
                CONSUMER_MEMBER
            },
        }
    }
}

fn assignment<'a>(
    partitions: impl Iterator<Item = &'a TopicIdPartition>,
    topics: &Topics<'_>,
) -> Assignment {
    let known = |(topic_id, partitions)| {
        // A topic that is gone is not shown, though its partitions may not have been given up yet.
        let topic_name = topics.name(topic_id)?.to_owned();
        Some(TopicPartitions {
            topic_id,
            topic_name,
            partitions,
        })
    };
    let by_topic = by_topic(partitions).into_iter();
    Assignment {
        topic_partitions: by_topic.filter_map(known).collect(),
    }
}
