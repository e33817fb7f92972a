//! `range`: of each topic every member gets a run of neighbouring partitions.
//!
//! Each topic is assigned by itself and in the same order of members, so partitions of the same number go to the same
//! member if two topics have as many partitions and the same subscribers. Where racks are known a member first gets
//! partitions that have a replica in its rack (KIP-881); such topics stay together there too.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::strategy::{Assignment, Assignor, plain};
use super::view::{GroupView, TopicView};
use crate::config::TopicPartition;

/// The assignor `range`.
#[derive(Debug, Clone, Copy)]
pub struct RangeAssignor;

impl Assignor for RangeAssignor {
    fn name(&self) -> &str {
        "range"
    }

    fn assign(&self, group: &GroupView) -> Result<Assignment, Arc<str>> {
        let order = group.in_order();
        let mut topics: Vec<TopicToAssign<'_>> = group
            .topics
            .iter()
            .map(|(name, topic)| TopicToAssign::new(group, &order, name, topic))
            .collect();
        let with_racks = topics.iter().any(|topic| topic.uses_racks);
        if with_racks {
            assign_near(&mut topics);
        }
        let mut lists = group.empty_lists();
        for topic in &mut topics {
            topic.assign_runs(|_, _| true);
            for (number, owner) in topic.owners.iter().enumerate() {
                let Some(owner) = owner else {
                    continue;
                };
                if let Some(list) = lists.get_mut(topic.members[*owner].id) {
                    list.push(TopicPartition {
                        topic: Arc::clone(topic.name),
                        partition: number as i32,
                    });
                }
            }
        }
        Ok(plain(lists))
    }
}

/// One topic being assigned.
struct TopicToAssign<'a> {
    name: &'a Arc<str>,
    view: &'a TopicView,
    /// Subscribers in their order.
    members: Vec<Subscriber<'a>>,
    /// For each partition the index of its owner.
    owners: Vec<Option<usize>>,
    /// Every member gets `share` partitions, and `extra` members get one more.
    share: usize,
    extra: usize,
    uses_racks: bool,
}

struct Subscriber<'a> {
    id: &'a Arc<str>,
    rack: Option<&'a Arc<str>>,
    assigned: usize,
}

impl<'a> TopicToAssign<'a> {
    fn new(
        group: &'a GroupView,
        order: &[&'a Arc<str>],
        name: &'a Arc<str>,
        view: &'a TopicView,
    ) -> Self {
        let members: Vec<Subscriber<'a>> = order
            .iter()
            .filter_map(|id| {
                let member = group.members.get(*id)?;
                member.topics.contains(name).then_some(Subscriber {
                    id,
                    rack: member.rack.as_ref(),
                    assigned: 0,
                })
            })
            .collect();
        let count = view.partitions.len();
        let (share, extra) = match members.len() {
            0 => (0, 0),
            members => (count / members, count % members),
        };
        Self {
            uses_racks: uses_racks(&members, view),
            owners: vec![None; count],
            name,
            view,
            members,
            share,
            extra,
        }
    }

    /// How many more a member may get.
    fn room(&self, member: usize) -> usize {
        let most = self.share + usize::from(self.extra > 0);
        most.saturating_sub(self.members[member].assigned)
    }

    fn is_near(&self, member: usize, partition: usize) -> bool {
        match self.members[member].rack {
            None => true,
            Some(rack) => self.view.partitions[partition].racks.contains(rack),
        }
    }

    fn give(&mut self, member: usize, partitions: &[usize]) {
        for partition in partitions {
            self.owners[*partition] = Some(member);
        }
        let subscriber = &mut self.members[member];
        subscriber.assigned += partitions.len();
        if subscriber.assigned > self.share {
            self.extra = self.extra.saturating_sub(1);
        }
    }

    /// Every member in turn gets the first free partitions that it may have.
    fn assign_runs(&mut self, may_have: impl Fn(&Self, (usize, usize)) -> bool) {
        for member in 0..self.members.len() {
            let free = (0..self.owners.len()).filter(|number| self.owners[*number].is_none());
            let run: Vec<usize> = free
                .filter(|number| may_have(self, (member, *number)))
                .take(self.room(member))
                .collect();
            if !run.is_empty() {
                self.give(member, &run);
            }
        }
    }
}

/// Racks matter when a consumer's rack has replicas, and not every rack has all of them.
fn uses_racks(members: &[Subscriber<'_>], topic: &TopicView) -> bool {
    let consumers: BTreeSet<&Arc<str>> = members.iter().filter_map(|member| member.rack).collect();
    let replicas: BTreeSet<&Arc<str>> = topic
        .partitions
        .iter()
        .flat_map(|partition| &partition.racks)
        .collect();
    !consumers.is_disjoint(&replicas)
        && topic
            .partitions
            .iter()
            .any(|partition| partition.racks.len() != replicas.len())
}

/// First round: partitions with a replica near their member. Topics with the same subscribers and as many partitions
/// are assigned together.
fn assign_near(topics: &mut [TopicToAssign<'_>]) {
    let mut together: BTreeMap<(Vec<&Arc<str>>, usize), Vec<usize>> = BTreeMap::new();
    for (index, topic) in topics.iter().enumerate() {
        let subscribers = topic.members.iter().map(|member| member.id).collect();
        together
            .entry((subscribers, topic.owners.len()))
            .or_default()
            .push(index);
    }
    let groups: Vec<Vec<usize>> = together.into_values().collect();
    for indexes in groups {
        match indexes[..] {
            [only] if topics[only].uses_racks => {
                topics[only]
                    .assign_runs(|topic, (member, partition)| topic.is_near(member, partition));
            }
            [_] => {}
            _ => assign_together(topics, &indexes),
        }
    }
}

fn assign_together(topics: &mut [TopicToAssign<'_>], indexes: &[usize]) {
    let Some(first) = indexes.first().map(|index| &topics[*index]) else {
        return;
    };
    let count = first.owners.len();
    let mut remaining: Vec<usize> = (0..first.members.len()).collect();
    for partition in 0..count {
        let fits = |member: &usize| {
            indexes.iter().all(|index| {
                let topic = &topics[*index];
                topic.is_near(*member, partition) && topic.room(*member) > 0
            })
        };
        let Some(member) = remaining.iter().copied().find(|member| fits(member)) else {
            continue;
        };
        for index in indexes {
            topics[*index].give(member, &[partition]);
        }
        if indexes.iter().all(|index| topics[*index].room(member) == 0) {
            remaining.retain(|other| *other != member);
        }
    }
}
