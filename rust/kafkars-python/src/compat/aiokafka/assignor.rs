//! The engine's sticky assignor, for programs that call aiokafka's class of that name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kafkars_client::config::TopicPartition;
use kafkars_client::group::assignor::{
    GroupView, MemberView, PartitionView, StickyAssignor, TopicView,
};
use pyo3::prelude::*;

/// What a member subscribes to, the partitions it had, and in which generation.
type StickyMember = (BTreeSet<String>, Vec<(String, i32)>, i32);

/// Gives partitions to members, by their ids.
///
/// Args:
///     topics: How many partitions each topic has.
///     members: For each member its topics, the partitions it had, and the generation in which it had them.
#[pyfunction]
pub(super) fn sticky_assignment(
    topics: BTreeMap<String, usize>,
    members: BTreeMap<String, StickyMember>,
) -> BTreeMap<String, Vec<(String, i32)>> {
    let group = GroupView {
        topics: topics.into_iter().map(topic).collect(),
        members: members.into_iter().map(member).collect(),
    };
    let given = StickyAssignor.assign_by_owned(&group).into_iter();
    let lists = given.map(|(member, given)| {
        let partitions = given.partitions.into_iter();
        let pairs = partitions.map(|each| (each.topic.to_string(), each.partition));
        (member.to_string(), pairs.collect())
    });
    lists.collect()
}

fn topic((name, count): (String, usize)) -> (Arc<str>, TopicView) {
    let partitions = vec![PartitionView::default(); count];
    (name.into(), TopicView { partitions })
}

fn member((id, (topics, owned, generation)): (String, StickyMember)) -> (Arc<str>, MemberView) {
    let owned = owned.into_iter().map(|(topic, partition)| TopicPartition {
        topic: topic.into(),
        partition,
    });
    let view = MemberView {
        topics: topics.into_iter().map(Arc::from).collect(),
        owned: owned.collect(),
        generation,
        ..MemberView::default()
    };
    (id.into(), view)
}
