//! Balancing partitions among members with as few moves as possible.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

use super::super::view::{GroupView, MemberView};
use super::claims::Claims;
use crate::config::TopicPartition;

/// Gives every partition to a member that subscribes to its topic, if there is one.
pub(in crate::group::assignor) fn distribute(
    group: &GroupView,
    claims: &Claims<'_>,
) -> BTreeMap<Arc<str>, Vec<TopicPartition>> {
    let mut distribution = Distribution::new(group);
    let all_want_the_same = {
        let mut wishes = group.members.values().map(|member| &member.topics);
        let first = wishes.next();
        wishes.all(|topics| Some(topics) == first)
    };
    let unclaimed = distribution.keep(claims, all_want_the_same);
    distribution.deal(unclaimed);
    distribution.even_out();
    distribution.into_lists()
}

/// An assignment while it is made.
struct Distribution<'a> {
    group: &'a GroupView,
    members: Vec<Holder<'a>>,
    partitions: Vec<TopicPartition>,
    /// The subscribers of each topic, as indexes of `members`.
    takers: BTreeMap<&'a str, Vec<usize>>,
    /// Who had a partition before its last owner, as indexes of `partitions` and `members`: a member that may read on
    /// where it was if the last owner must give the partition up.
    previous: BTreeMap<usize, usize>,
    uses_racks: bool,
}

struct Holder<'a> {
    id: &'a Arc<str>,
    view: &'a MemberView,
    held: BTreeSet<usize>,
}

impl<'a> Distribution<'a> {
    fn new(group: &'a GroupView) -> Self {
        let members: Vec<Holder<'a>> = group
            .in_order()
            .into_iter()
            .filter_map(|id| {
                Some(Holder {
                    view: group.members.get(id)?,
                    held: BTreeSet::new(),
                    id,
                })
            })
            .collect();
        let mut takers: BTreeMap<&'a str, Vec<usize>> = BTreeMap::new();
        let mut partitions = Vec::new();
        for (topic, view) in &group.topics {
            let wants = |index: &usize| members[*index].view.topics.contains(topic);
            let wanting: Vec<usize> = (0..members.len()).filter(wants).collect();
            if wanting.is_empty() {
                continue;
            }
            takers.insert(topic, wanting);
            partitions.extend((0..view.partitions.len()).map(|number| TopicPartition {
                topic: Arc::clone(topic),
                partition: number as i32,
            }));
        }
        Self {
            uses_racks: members.iter().any(|member| member.view.rack.is_some()),
            group,
            members,
            partitions,
            takers,
            previous: BTreeMap::new(),
        }
    }

    /// Lets every member keep what it had, but not more than its share if all subscribe to the same topics. Returns the
    /// partitions that are left.
    fn keep(&mut self, claims: &Claims<'_>, all_want_the_same: bool) -> Vec<usize> {
        let indexes: BTreeMap<&TopicPartition, usize> = self
            .partitions
            .iter()
            .enumerate()
            .map(|(index, partition)| (partition, index))
            .collect();
        let holders: BTreeMap<&str, usize> = self
            .members
            .iter()
            .enumerate()
            .map(|(index, member)| (&**member.id, index))
            .collect();
        let known = |(partition, owner): (&TopicPartition, &Arc<str>)| {
            Some((*indexes.get(partition)?, *holders.get(&**owner)?))
        };
        let mut kept: Vec<Vec<usize>> = vec![Vec::new(); self.members.len()];
        for (index, holder) in claims.iter().filter_map(known) {
            kept[holder].push(index);
        }
        let previous = claims.previous().filter_map(known).collect();
        if all_want_the_same && !self.members.is_empty() {
            keep_shares(&mut kept, self.partitions.len(), &previous);
        }
        self.previous = previous;
        let mut free: BTreeSet<usize> = (0..self.partitions.len()).collect();
        for (holder, list) in kept.into_iter().enumerate() {
            for index in list {
                free.remove(&index);
                self.members[holder].held.insert(index);
            }
        }
        free.into_iter().collect()
    }

    /// Gives each free partition to the subscriber that has the fewest. Topics with few subscribers come first, so that
    /// these do not end up with too many.
    fn deal(&mut self, mut free: Vec<usize>) {
        free.sort_by_key(|index| {
            let takers = self.takers.get(&*self.partitions[*index].topic);
            (takers.map_or(0, Vec::len), *index)
        });
        for index in free {
            let takers = self.takers_of(index);
            let least = takers.into_iter().min_by_key(|member| {
                let is_far = self.uses_racks && !self.is_near(*member, index);
                (self.members[*member].held.len(), is_far, *member)
            });
            if let Some(member) = least {
                self.members[member].held.insert(index);
            }
        }
    }

    /// Moves single partitions from a member to one that has at least two fewer and could take it, until there is no
    /// such pair. Every move brings the counts closer together, so this ends.
    fn even_out(&mut self) {
        while let Some((index, from, to)) = self.move_worth_making() {
            self.members[from].held.remove(&index);
            self.members[to].held.insert(index);
        }
    }

    fn move_worth_making(&self) -> Option<(usize, usize, usize)> {
        let mut by_load: Vec<usize> = (0..self.members.len()).collect();
        by_load.sort_by_key(|member| (usize::MAX - self.members[*member].held.len(), *member));
        let fewest = self.members.iter().map(|member| member.held.len()).min()?;
        for from in by_load {
            let load = self.members[from].held.len();
            if load <= fewest + 1 {
                return None;
            }
            let mut best = None;
            let mut seen: BTreeSet<(&str, Option<usize>)> = BTreeSet::new();
            for index in &self.members[from].held {
                let previous = self.previous.get(index).copied();
                if !self.uses_racks && !seen.insert((&self.partitions[*index].topic, previous)) {
                    continue; // for another partition like this one the same moves are as good
                }
                for to in self.takers_of(*index) {
                    let other = self.members[to].held.len();
                    // The largest gap first: it needs the fewest moves. Of equal ones the way back to a previous owner,
                    // and nothing that could go such a way later.
                    let rank = (other, previous != Some(to), previous.is_some());
                    if other + 1 < load && best.is_none_or(|(least, _, _)| rank < least) {
                        best = Some((rank, *index, to));
                    }
                }
            }
            if let Some((_, index, to)) = best {
                return Some((index, from, to));
            }
        }
        None
    }

    fn takers_of(&self, index: usize) -> Vec<usize> {
        let topic = &*self.partitions[index].topic;
        self.takers.get(topic).cloned().unwrap_or_default()
    }

    fn is_near(&self, member: usize, index: usize) -> bool {
        let partition = &self.partitions[index];
        let Some(rack) = &self.members[member].view.rack else {
            return true;
        };
        let topic = self.group.topics.get(&partition.topic);
        let view = topic.and_then(|topic| topic.partitions.get(partition.partition as usize));
        view.is_some_and(|view| view.racks.contains(rack))
    }

    fn into_lists(self) -> BTreeMap<Arc<str>, Vec<TopicPartition>> {
        let partitions = &self.partitions;
        let list = |member: &Holder<'a>| {
            let held = member.held.iter().map(|index| partitions[*index].clone());
            (Arc::clone(member.id), held.collect())
        };
        self.members.iter().map(list).collect()
    }
}

/// Takes from members with more than their share what is beyond it: first what can go back to a previous owner without
/// giving that one more than its share.
fn keep_shares(kept: &mut [Vec<usize>], partitions: usize, previous: &BTreeMap<usize, usize>) {
    let share = partitions / kept.len();
    // This many may have one more than the others. Those who need not give it up come first.
    let mut extra = partitions % kept.len();
    let mut most = vec![share; kept.len()];
    for (list, most) in kept.iter().zip(&mut most) {
        if extra > 0 && list.len() > share {
            *most += 1;
            extra -= 1;
        }
    }
    for from in 0..kept.len() {
        let list = mem::take(&mut kept[from]);
        let mut surplus = list.len().saturating_sub(most[from]);
        let mut stays = Vec::with_capacity(list.len());
        for index in list {
            let back = previous.get(&index).filter(|_| surplus > 0);
            let Some(to) = back.copied() else {
                stays.push(index);
                continue;
            };
            if kept[to].len() == most[to] && most[to] == share && extra > 0 {
                most[to] += 1;
                extra -= 1;
            }
            if kept[to].len() < most[to] {
                kept[to].push(index);
                surplus -= 1;
            } else {
                stays.push(index);
            }
        }
        stays.truncate(most[from]);
        kept[from] = stays;
    }
}
