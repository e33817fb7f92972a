//! Server-side assignors: which partitions each member of a consumer group is to have.

use std::collections::{BTreeMap, BTreeSet};

use super::member::TargetAssignment;
use crate::topic::TopicIdPartition;
use kafkars_protocol::Uuid;

/// Names of the assignors, the default first (`group.consumer.assignors`).
pub(crate) const ASSIGNORS: [&str; 2] = ["uniform", "range"];

/// The input of assignors.
#[derive(Debug, Default)]
pub(crate) struct GroupSpec<'a> {
    /// The topics that somebody reads, with their partitions.
    pub(crate) topics: BTreeMap<Uuid, i32>,
    /// The members in the order in which they are served: by instance, or else by member id.
    pub(crate) members: Vec<AssignorMember<'a>>,
}

/// One member as assignors see it.
#[derive(Debug)]
pub(crate) struct AssignorMember<'a> {
    pub(crate) id: &'a str,
    pub(crate) topics: BTreeSet<Uuid>,
    /// The target that the member had so far.
    pub(crate) before: Option<&'a TargetAssignment>,
}

/// The target of each member, in their order.
pub(crate) fn assign(assignor: &str, spec: &GroupSpec<'_>) -> Vec<TargetAssignment> {
    if assignor == "range" {
        return range(spec);
    }
    let first = spec.members.first().map(|reader| &reader.topics);
    if spec
        .members
        .iter()
        .all(|reader| Some(&reader.topics) == first)
    {
        return uniform(spec);
    }
    balanced(spec)
}

/// Assigns the partitions of each topic in as many stretches as it has readers, so that topics with as many partitions
/// go together.
fn range(spec: &GroupSpec<'_>) -> Vec<TargetAssignment> {
    let mut targets = vec![TargetAssignment::new(); spec.members.len()];
    for (topic, partitions) in &spec.topics {
        let readers: Vec<usize> = (0..spec.members.len())
            .filter(|index| spec.members[*index].topics.contains(topic))
            .collect();
        let count = readers.len() as i32;
        let mut next = 0;
        for (place, reader) in readers.into_iter().enumerate() {
            let more = i32::from((place as i32) < partitions % count);
            let end = next + partitions / count + more;
            targets[reader].extend((next..end).map(|partition| (*topic, partition)));
            next = end;
        }
    }
    targets
}

/// Assigns where all members read the same: nobody has more than one partition more than another, and as much as
/// possible stays where it is.
fn uniform(spec: &GroupSpec<'_>) -> Vec<TargetAssignment> {
    let mut targets = kept(spec);
    let all: usize = spec.topics.values().map(|count| *count as usize).sum();
    let count = targets.len().max(1);
    let (least, mut larger) = (all / count, all % count);
    let mut order: Vec<usize> = (0..targets.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(targets[*index].len()));
    let mut quotas = vec![least; targets.len()];
    for index in order {
        if larger > 0 {
            quotas[index] += 1;
            larger -= 1;
        }
        while targets[index].len() > quotas[index] {
            targets[index].pop_last();
        }
    }
    let assigned: BTreeSet<TopicIdPartition> = targets.iter().flatten().copied().collect();
    let mut free = partitions(spec).filter(|partition| !assigned.contains(partition));
    for (target, quota) in targets.iter_mut().zip(quotas) {
        let missing = quota.saturating_sub(target.len());
        target.extend(free.by_ref().take(missing));
    }
    targets
}

/// Assigns where members read different topics: what is free goes to the reader with the least, then partitions move
/// while that evens things out.
fn balanced(spec: &GroupSpec<'_>) -> Vec<TargetAssignment> {
    let mut targets = kept(spec);
    let mut readers: BTreeMap<Uuid, Vec<usize>> = BTreeMap::new();
    for (index, reader) in spec.members.iter().enumerate() {
        for topic in &reader.topics {
            readers.entry(*topic).or_default().push(index);
        }
    }
    let poorest = |targets: &[TargetAssignment], topic: &Uuid| {
        let readers = readers.get(topic)?.iter().copied();
        readers.min_by_key(|index| targets[*index].len())
    };
    let mut owners: BTreeMap<TopicIdPartition, usize> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate() {
        owners.extend(target.iter().map(|partition| (*partition, index)));
    }
    let mut free: Vec<TopicIdPartition> = partitions(spec)
        .filter(|partition| !owners.contains_key(partition))
        .collect();
    // Who has little choice chooses first.
    free.sort_by_key(|(topic, _)| readers.get(topic).map_or(0, Vec::len));
    for partition in free {
        if let Some(index) = poorest(&targets, &partition.0) {
            targets[index].insert(partition);
            owners.insert(partition, index);
        }
    }
    // Each move makes the difference between two members smaller, so there is an end; the bound is for certainty.
    for _ in 0..targets.len().max(8) {
        let mut moved = false;
        for (partition, owner) in &mut owners {
            let Some(index) = poorest(&targets, &partition.0) else {
                continue;
            };
            if targets[*owner].len() > targets[index].len() + 1 {
                targets[*owner].remove(partition);
                targets[index].insert(*partition);
                *owner = index;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    targets
}

/// The part of each member's target that it may keep: it reads the topic, the partition exists, and nobody before it
/// has it.
fn kept(spec: &GroupSpec<'_>) -> Vec<TargetAssignment> {
    let mut assigned = BTreeSet::new();
    let mut keep = |reader: &AssignorMember<'_>| -> TargetAssignment {
        let before = reader.before.into_iter().flatten().copied();
        before
            .filter(|partition| {
                let (topic, index) = *partition;
                let count = spec.topics.get(&topic).copied().unwrap_or(0);
                index < count && reader.topics.contains(&topic) && assigned.insert(*partition)
            })
            .collect()
    };
    spec.members.iter().map(&mut keep).collect()
}

fn partitions<'a>(spec: &'a GroupSpec<'_>) -> impl Iterator<Item = TopicIdPartition> + 'a {
    let topics = spec.topics.iter();
    topics.flat_map(|(topic, count)| (0..*count).map(|partition| (*topic, partition)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(number: u8) -> Uuid {
        Uuid([number; 16])
    }

    struct Scenario {
        topics: Vec<(u8, i32)>,
        members: Vec<(&'static str, Vec<u8>, TargetAssignment)>,
    }

    impl Scenario {
        fn assign(&self, assignor: &str) -> Vec<TargetAssignment> {
            let member = |(id, topics, before): &'_ (&'static str, Vec<u8>, TargetAssignment)| {
                let topics = topics.iter().copied().map(topic).collect::<BTreeSet<_>>();
                (*id, topics, before.clone())
            };
            let members: Vec<_> = self.members.iter().map(member).collect();
            let spec = GroupSpec {
                topics: self
                    .topics
                    .iter()
                    .map(|(number, count)| (topic(*number), *count))
                    .collect(),
                members: members
                    .iter()
                    .map(|(id, topics, before)| AssignorMember {
                        id,
                        topics: topics.clone(),
                        before: Some(before),
                    })
                    .collect(),
            };
            let targets = assign(assignor, &spec);
            check(&spec, &targets);
            targets
        }
    }

    /// Each partition that somebody reads has one owner, and that one reads it.
    fn check(spec: &GroupSpec<'_>, targets: &[TargetAssignment]) {
        for partition in partitions(spec) {
            let owners: Vec<usize> = (0..targets.len())
                .filter(|index| targets[*index].contains(&partition))
                .collect();
            let reads = |reader: &AssignorMember<'_>| reader.topics.contains(&partition.0);
            assert_eq!(owners.len(), usize::from(spec.members.iter().any(reads)));
            assert!(owners.iter().all(|index| reads(&spec.members[*index])));
        }
    }

    fn sizes(targets: &[TargetAssignment]) -> Vec<usize> {
        targets.iter().map(TargetAssignment::len).collect()
    }

    #[test]
    fn uniform_is_even_and_keeps_what_it_can() {
        let mut scenario = Scenario {
            topics: vec![(1, 5), (2, 2)],
            members: vec![
                ("a", vec![1, 2], TargetAssignment::new()),
                ("b", vec![1, 2], TargetAssignment::new()),
            ],
        };
        let first = scenario.assign("uniform");
        assert_eq!(sizes(&first), [4, 3]);
        for (member, before) in scenario.members.iter_mut().zip(&first) {
            member.2.clone_from(before);
        }
        scenario
            .members
            .push(("c", vec![1, 2], TargetAssignment::new()));
        let second = scenario.assign("uniform");
        assert_eq!(sizes(&second), [3, 2, 2]);
        assert!(second[0].is_subset(&first[0]) && second[1].is_subset(&first[1]));
    }

    #[test]
    fn uniform_is_even_where_members_read_different_topics() {
        let scenario = Scenario {
            topics: vec![(1, 6), (2, 2)],
            members: vec![
                (
                    "a",
                    vec![1],
                    (0..6).map(|index| (topic(1), index)).collect(),
                ),
                ("b", vec![1, 2], TargetAssignment::new()),
                ("c", vec![2], TargetAssignment::new()),
            ],
        };
        assert_eq!(sizes(&scenario.assign("uniform")), [3, 3, 2]);
    }

    #[test]
    fn range_gives_stretches() {
        let scenario = Scenario {
            topics: vec![(1, 5), (2, 5)],
            members: vec![
                ("a", vec![1, 2], TargetAssignment::new()),
                ("b", vec![1, 2], TargetAssignment::new()),
            ],
        };
        let targets = scenario.assign("range");
        let first = |number| (0..3).map(move |index| (topic(number), index));
        assert_eq!(
            targets[0],
            first(1).chain(first(2)).collect::<TargetAssignment>()
        );
    }

    #[test]
    fn nobody_and_nothing_are_fine() {
        for assignor in ASSIGNORS {
            let nobody = Scenario {
                topics: vec![(1, 3)],
                members: vec![],
            };
            assert!(nobody.assign(assignor).is_empty());
            let nothing = Scenario {
                topics: vec![],
                members: vec![("a", vec![], TargetAssignment::new())],
            };
            assert_eq!(sizes(&nothing.assign(assignor)), [0]);
        }
    }
}
