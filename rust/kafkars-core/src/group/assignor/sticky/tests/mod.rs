//! What every sticky assignment keeps to, whatever the members subscribe to and had before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::super::view::{GroupView, MemberView, PartitionView, TopicView};
use super::super::{Assignment, Assignor, CooperativeStickyAssignor, LastAssignment};
use super::StickyAssignor;
use crate::config::TopicPartition;

mod previous_owners;

/// Topics by their numbers of partitions, and members by which of the topics they subscribe to.
#[derive(Debug, Clone)]
struct Shape {
    topics: Vec<usize>,
    members: Vec<u8>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    (vec(0..9_usize, 1..8), vec(any::<u8>(), 1..12))
        .prop_map(|(topics, members)| Shape { topics, members })
}

fn group(shape: &Shape) -> GroupView {
    let name = |index: usize| Arc::<str>::from(format!("t{index}"));
    let topic = |(index, count): (usize, &usize)| {
        let partitions = vec![PartitionView::default(); *count];
        (name(index), TopicView { partitions })
    };
    let member = |(index, wishes): (usize, &u8)| {
        let wanted = (0..shape.topics.len()).filter(|topic| wishes >> topic & 1 == 1);
        let view = MemberView {
            topics: wanted.map(name).collect(),
            generation: -1,
            ..MemberView::default()
        };
        (format!("m{index}").into(), view)
    };
    GroupView {
        topics: shape.topics.iter().enumerate().map(topic).collect(),
        members: shape.members.iter().enumerate().map(member).collect(),
    }
}

/// The members tell what they were assigned, as members of a group do: by user data, and by what they own.
fn having(mut group: GroupView, assignment: &Assignment, generation: i32) -> GroupView {
    for (id, member) in &mut group.members {
        let Some(given) = assignment.get(id) else {
            continue;
        };
        let last = LastAssignment {
            partitions: given.partitions.clone(),
            generation,
        };
        member.user_data = StickyAssignor.user_data(&last);
        member.owned = last.partitions;
        member.generation = generation;
    }
    group
}

fn assign(group: &GroupView) -> Assignment {
    StickyAssignor.assign(group).expect("an assignment")
}

fn count_of(group: &GroupView, assignment: &Assignment) -> usize {
    let wanted = group.topics.iter().filter(|(topic, _)| {
        let mut members = group.members.values();
        members.any(|member| member.topics.contains(*topic))
    });
    let all: BTreeSet<&TopicPartition> = assignment
        .values()
        .flat_map(|given| &given.partitions)
        .collect();
    let given: usize = assignment
        .values()
        .map(|given| given.partitions.len())
        .sum();
    assert_eq!(all.len(), given, "a partition has two owners");
    let expected = wanted.map(|(_, view)| view.partitions.len()).sum::<usize>();
    assert_eq!(given, expected, "a partition has no owner");
    given
}

/// No member has two or more partitions more than another one that could take one of them.
fn check(group: &GroupView, assignment: &Assignment) {
    count_of(group, assignment);
    for (id, given) in assignment {
        for partition in &given.partitions {
            let wants = |member: &MemberView| member.topics.contains(&partition.topic);
            assert!(
                wants(&group.members[id]),
                "{id} does not want {partition:?}"
            );
            for (other, view) in group.members.iter().filter(|(_, view)| wants(view)) {
                let (more, fewer) = (given.partitions.len(), assignment[other].partitions.len());
                assert!(
                    more <= fewer + 1,
                    "{id} has {more}, {other} has {fewer} and could take {partition:?}: {view:?}"
                );
            }
        }
    }
}

fn owners(assignment: &Assignment) -> BTreeMap<&TopicPartition, &Arc<str>> {
    let lists = assignment.iter();
    let pairs = lists.flat_map(|(id, given)| given.partitions.iter().map(move |each| (each, id)));
    pairs.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_member_has_two_more_than_one_that_could_take_one(before in shapes(), after in shapes()) {
        let first = group(&before);
        let assignment = assign(&first);
        check(&first, &assignment);
        // Other topics and members, of which some had partitions before.
        let second = having(group(&after), &assignment, 1);
        check(&second, &assign(&second));
        check(&second, &StickyAssignor.assign_by_owned(&second));
    }

    #[test]
    fn what_is_even_stays_where_it_is(shape in shapes()) {
        let group = group(&shape);
        let assignment = assign(&group);
        let again = having(group, &assignment, 1);
        prop_assert_eq!(&assign(&again), &assignment);
        prop_assert_eq!(&StickyAssignor.assign_by_owned(&again), &assignment);
        prop_assert_eq!(&CooperativeStickyAssignor.assign(&again).expect("an assignment"), &assignment);
    }

    /// Members that subscribe to the same keep what they had when one of them leaves.
    #[test]
    fn only_what_a_member_leaves_behind_moves(topics in vec(0..9_usize, 1..8), members in 2..12_usize) {
        let shape = Shape { members: vec![u8::MAX; members], topics };
        let first = group(&shape);
        let assignment = assign(&first);
        let mut rest = having(first, &assignment, 1);
        let gone = Arc::<str>::from("m0");
        rest.members.remove(&gone);
        let moved = assign(&rest);
        check(&rest, &moved);
        let after = owners(&moved);
        for (partition, owner) in owners(&assignment) {
            prop_assert!(*owner == gone || after[partition] == owner);
        }
    }
}
