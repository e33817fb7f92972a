//! Claims: which partitions members say they had, for a sticky strategy to keep.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::super::view::{GroupView, MemberView};
use super::user_data;
use crate::config::TopicPartition;

/// Each partition's last owner, as far as members agree on it.
#[derive(Debug, Default)]
pub(in crate::group::assignor) struct Claims<'a> {
    owners: BTreeMap<TopicPartition, &'a Arc<str>>,
}

impl<'a> Claims<'a> {
    /// From what members say they own while they join.
    pub(in crate::group::assignor) fn of_owned(group: &'a GroupView) -> Self {
        Self::collect(group, |member| {
            let generation = match (member.generation, &member.user_data) {
                // Version 1 of the subscription has no generation, but the strategy's own data has.
                (-1, Some(data)) => data
                    .first_chunk::<4>()
                    .map_or(-1, |bytes| i32::from_be_bytes(*bytes)),
                (generation, _) => generation,
            };
            (generation, member.owned.clone())
        })
    }

    /// From what members say they had before they gave it up. Data that cannot be read claims nothing.
    pub(in crate::group::assignor) fn of_user_data(group: &'a GroupView) -> Self {
        Self::collect(group, |member| {
            let last = member.user_data.clone().map(user_data::decode);
            match last {
                Some(Ok(last)) => (last.generation, last.partitions),
                Some(Err(_)) | None => (-1, Vec::new()),
            }
        })
    }

    /// The newest claim to a partition counts; two of one generation contradict each other, and none counts.
    fn collect(
        group: &'a GroupView,
        said: impl Fn(&MemberView) -> (i32, Vec<TopicPartition>),
    ) -> Self {
        let mut best: BTreeMap<TopicPartition, (i32, Option<&'a Arc<str>>)> = BTreeMap::new();
        for (id, member) in &group.members {
            let (generation, partitions) = said(member);
            let partitions: BTreeSet<TopicPartition> = partitions.into_iter().collect();
            for partition in partitions {
                if !is_possible(group, member, &partition) {
                    continue;
                }
                let claim = best.entry(partition).or_insert((generation, Some(id)));
                if generation > claim.0 {
                    *claim = (generation, Some(id));
                } else if generation == claim.0 && claim.1 != Some(id) {
                    claim.1 = None;
                }
            }
        }
        let agreed = |(partition, (_, owner)): (_, (_, Option<&'a Arc<str>>))| {
            owner.map(|owner| (partition, owner))
        };
        Self {
            owners: best.into_iter().filter_map(agreed).collect(),
        }
    }

    /// Partitions with their last owners, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&TopicPartition, &'a Arc<str>)> {
        self.owners
            .iter()
            .map(|(partition, owner)| (partition, *owner))
    }
}

/// True if the partition exists and the member still subscribes to its topic.
fn is_possible(group: &GroupView, member: &MemberView, partition: &TopicPartition) -> bool {
    let count = group.partition_count(&partition.topic);
    member.topics.contains(&partition.topic)
        && usize::try_from(partition.partition).is_ok_and(|number| number < count)
}
