//! Claims: which partitions members say they had, for a sticky strategy to keep.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

use super::super::view::{GroupView, MemberView};
use super::user_data;
use crate::config::TopicPartition;

/// Each partition's last owner, as far as members agree on it, and the owner before that.
#[derive(Debug, Default)]
pub(in crate::group::assignor) struct Claims<'a> {
    owners: BTreeMap<TopicPartition, &'a Arc<str>>,
    previous: BTreeMap<TopicPartition, &'a Arc<str>>,
}

/// What one member, or more if these contradict each other, said of a partition.
struct Claim<'a> {
    generation: i32,
    /// None of a contradiction.
    owner: Option<&'a Arc<str>>,
}

/// The newest claims to a partition: of the last generation, and of the one before that.
#[derive(Default)]
struct Newest<'a>([Option<Claim<'a>>; 2]);

impl<'a> Claims<'a> {
    /// From what members say they own while they join, and do not give up for it.
    ///
    /// Nobody is a previous owner here. A member that has missed a rebalance believes that it still owns what has gone
    /// to another one; if it got that back, both would read it until the other one has given it up.
    pub(in crate::group::assignor) fn of_owned(group: &'a GroupView) -> Self {
        Self {
            previous: BTreeMap::new(),
            ..Self::collect(group, owned_by)
        }
    }

    /// From what members say they owned, if they have given all of it up.
    pub(super) fn of_given_up(group: &'a GroupView) -> Self {
        Self::collect(group, owned_by)
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
        let mut newest: BTreeMap<TopicPartition, Newest<'a>> = BTreeMap::new();
        for (id, member) in &group.members {
            let (generation, partitions) = said(member);
            let partitions: BTreeSet<TopicPartition> = partitions.into_iter().collect();
            for partition in partitions {
                if is_possible(group, member, &partition) {
                    newest.entry(partition).or_default().add(generation, id);
                }
            }
        }
        let mut claims = Self::default();
        for (partition, Newest([last, before])) in newest {
            let Some(owner) = last.and_then(|claim| claim.owner) else {
                continue;
            };
            if let Some(before) = before.and_then(|claim| claim.owner) {
                claims.previous.insert(partition.clone(), before);
            }
            claims.owners.insert(partition, owner);
        }
        claims
    }

    /// Partitions with their last owners, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&TopicPartition, &'a Arc<str>)> {
        self.owners
            .iter()
            .map(|(partition, owner)| (partition, *owner))
    }

    /// Partitions with their owners before the last ones, where there are such, in order.
    pub(super) fn previous(&self) -> impl Iterator<Item = (&TopicPartition, &'a Arc<str>)> {
        self.previous
            .iter()
            .map(|(partition, owner)| (partition, *owner))
    }
}

impl<'a> Newest<'a> {
    /// Adds the claim of another member.
    fn add(&mut self, generation: i32, owner: &'a Arc<str>) {
        let mut added = Claim {
            generation,
            owner: Some(owner),
        };
        for place in &mut self.0 {
            match place {
                Some(claim) if claim.generation > added.generation => {}
                Some(claim) if claim.generation == added.generation => {
                    claim.owner = None;
                    return;
                }
                // An older one makes room, and may have a place further on.
                Some(claim) => mem::swap(claim, &mut added),
                None => {
                    *place = Some(added);
                    return;
                }
            }
        }
    }
}

/// The generation of what a member says it owns, and what that is.
pub(in crate::group::assignor) fn owned_by(member: &MemberView) -> (i32, Vec<TopicPartition>) {
    let generation = match (member.generation, &member.user_data) {
        // Version 1 of the subscription has no generation, but the strategy's own data has.
        (-1, Some(data)) => data
            .first_chunk::<4>()
            .map_or(-1, |bytes| i32::from_be_bytes(*bytes)),
        (generation, _) => generation,
    };
    (generation, member.owned.clone())
}

/// True if the partition exists and the member still subscribes to its topic.
fn is_possible(group: &GroupView, member: &MemberView, partition: &TopicPartition) -> bool {
    let count = group.partition_count(&partition.topic);
    member.topics.contains(&partition.topic)
        && usize::try_from(partition.partition).is_ok_and(|number| number < count)
}
