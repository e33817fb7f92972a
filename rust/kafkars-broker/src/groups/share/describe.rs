//! A share group as administrators see it.

use kafkars_protocol::messages::share_group_describe::{
    Assignment, DescribedGroup, Member, TopicPartitions,
};

use super::assignor;
use super::group::{ShareGroup, ShareMember};
use crate::topic::by_topic;
use crate::topics::Topics;

impl ShareGroup {
    pub(crate) fn describe(&self, topics: &Topics<'_>) -> DescribedGroup {
        let member = |(id, member): (&String, &ShareMember)| Member {
            member_id: id.clone(),
            rack_id: member.rack_id.clone(),
            member_epoch: member.epoch,
            client_id: member.client.id.clone(),
            client_host: member.client.host.clone(),
            subscribed_topic_names: member.names.iter().cloned().collect(),
            assignment: assignment(member, topics),
        };
        DescribedGroup {
            group_id: self.id.clone(),
            group_state: self.state().to_owned(),
            group_epoch: self.epoch,
            assignment_epoch: self.epoch,
            assignor_name: assignor::NAME.to_owned(),
            members: self.members.iter().map(member).collect(),
            ..DescribedGroup::default()
        }
    }
}

fn assignment(member: &ShareMember, topics: &Topics<'_>) -> Assignment {
    let known = |(topic_id, partitions)| {
        // A topic that is gone is not shown, though the member may not have heard of it yet.
        let topic_name = topics.name(topic_id)?.to_owned();
        Some(TopicPartitions {
            topic_id,
            topic_name,
            partitions,
        })
    };
    let by_topic = by_topic(&member.assigned).into_iter();
    Assignment {
        topic_partitions: by_topic.filter_map(known).collect(),
    }
}
