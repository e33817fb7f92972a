//! What a member must give up goes back to whoever had it before, if that member is there and has room.

use proptest::sample::Index;

use super::*;

/// The generations of one history.
const GENERATIONS: usize = 4;

/// Members that all subscribe to the same topics and have missed different numbers of rebalances.
#[derive(Debug, Clone)]
struct History {
    topics: Vec<usize>,
    /// The generation of each member's last assignment.
    members: Vec<i32>,
    /// Who had a partition in each of the generations, among members whose last assignment is of that generation.
    picks: Vec<[Index; GENERATIONS]>,
}

fn histories() -> impl Strategy<Value = History> {
    let topics = vec(0..7_usize, 1..5);
    let generations = vec(0..GENERATIONS as i32, 1..8);
    (topics, generations).prop_flat_map(|(topics, members)| {
        let partitions = topics.iter().sum::<usize>();
        vec(any::<[Index; GENERATIONS]>(), partitions).prop_map(move |picks| History {
            topics: topics.clone(),
            members: members.clone(),
            picks,
        })
    })
}

/// The last owners of a partition, the latest first.
type Owners = Vec<Arc<str>>;

/// The group of a history, and what its members say of each partition.
fn told(history: &History) -> (GroupView, BTreeMap<TopicPartition, Owners>) {
    let shape = Shape {
        topics: history.topics.clone(),
        members: vec![u8::MAX; history.members.len()],
    };
    let mut group = group(&shape);
    let mut owned: Vec<Vec<TopicPartition>> = vec![Vec::new(); history.members.len()];
    let mut owners: BTreeMap<TopicPartition, Owners> = BTreeMap::new();
    let mut picks = history.picks.iter();
    for (topic, view) in &group.topics {
        for (partition, picks) in (0..view.partitions.len() as i32).zip(&mut picks) {
            let topic = Arc::clone(topic);
            let partition = TopicPartition { topic, partition };
            let had = owners.entry(partition.clone()).or_default();
            for (generation, pick) in picks.iter().enumerate().rev() {
                let those = history.members.iter().enumerate();
                let those = those.filter(|(_, last)| **last == generation as i32);
                let those: Vec<usize> = those.map(|(index, _)| index).collect();
                // One more than there are: in some generations nobody had it who is still there.
                if let Some(member) = those.get(pick.index(those.len() + 1)) {
                    owned[*member].push(partition.clone());
                    had.push(format!("m{member}").into());
                }
            }
        }
    }
    for (index, (partitions, generation)) in owned.into_iter().zip(&history.members).enumerate() {
        had(&mut group, &format!("m{index}"), partitions, *generation);
    }
    (group, owners)
}

/// Lets a member say what it had, by user data and by what it owns.
fn had(group: &mut GroupView, id: &str, partitions: Vec<TopicPartition>, generation: i32) {
    let last = LastAssignment {
        partitions,
        generation,
    };
    let member = group.members.get_mut(id).expect("a member");
    member.user_data = StickyAssignor.user_data(&last);
    member.owned = last.partitions;
    member.generation = generation;
}

fn numbers(assignment: &Assignment) -> Vec<Vec<i32>> {
    let lists = assignment.values().map(|given| &given.partitions);
    let numbers = lists.map(|list| list.iter().map(|each| each.partition).collect());
    numbers.collect()
}

fn partitions(numbers: &[i32]) -> Vec<TopicPartition> {
    let partition = |number: &i32| TopicPartition {
        topic: "t0".into(),
        partition: *number,
    };
    numbers.iter().map(partition).collect()
}

/// A group of members that want the same topic, by what they had and in which generation.
fn of_one_topic(count: usize, members: &[(&[i32], i32)]) -> GroupView {
    let mut group = group(&Shape {
        topics: vec![count],
        members: vec![u8::MAX; members.len()],
    });
    for (index, (numbers, generation)) in members.iter().enumerate() {
        let id = format!("m{index}");
        had(&mut group, &id, partitions(numbers), *generation);
    }
    group
}

#[test]
fn members_that_missed_a_rebalance_get_back_what_they_had() {
    let group = of_one_topic(6, &[(&[0, 3], 1), (&[0, 1, 2, 3, 4, 5], 2), (&[2, 5], 1)]);
    let expected = [[0, 3], [1, 4], [2, 5]];
    assert_eq!(numbers(&assign(&group)), expected);
    let by_owned = StickyAssignor.assign_by_owned(&group);
    assert_eq!(numbers(&by_owned), expected);
}

#[test]
fn only_the_owner_before_the_last_one_gets_a_partition_back() {
    let all = [0, 1, 2, 3, 4, 5];
    let group = of_one_topic(6, &[(&[0, 1], 1), (&all, 3), (&[0, 1], 2)]);
    let given = numbers(&assign(&group));
    assert_eq!(given[2], [0, 1]);
    assert_eq!(given[1].len(), 2);
}

#[test]
fn two_previous_owners_of_one_generation_contradict_each_other() {
    let all = [0, 1, 2, 3, 4, 5];
    let members: [(&[i32], i32); 3] = [(&[0, 4], 1), (&all, 2), (&[0, 5], 1)];
    let given = numbers(&assign(&of_one_topic(6, &members)));
    assert!(given[1].contains(&0), "{given:?}");
    assert!(given[0].contains(&4) && given[2].contains(&5), "{given:?}");
}

/// Also where subscriptions differ.
#[test]
fn a_member_that_wants_more_topics_gets_back_what_it_had() {
    let mut group = of_one_topic(6, &[(&[0, 3], 1), (&[0, 1, 2, 3, 4, 5], 2), (&[2, 5], 1)]);
    let topic: Arc<str> = "other".into();
    let partitions = vec![PartitionView::default()];
    group
        .topics
        .insert(Arc::clone(&topic), TopicView { partitions });
    let member = group.members.get_mut("m2").expect("a member");
    member.topics.insert(topic);
    let given = numbers(&assign(&group));
    check(&group, &assign(&group));
    assert!(given[0] == [0, 3], "{given:?}");
}

/// The members that end up with more than their share keep as much as they can.
fn most_that_can_stay(owners: &BTreeMap<TopicPartition, Owners>, members: usize) -> usize {
    let mut claims: BTreeMap<&str, usize> = BTreeMap::new();
    for last in owners.values().filter_map(|owners| owners.first()) {
        *claims.entry(last).or_default() += 1;
    }
    let (share, extra) = (owners.len() / members, owners.len() % members);
    let over = claims.values().filter(|count| **count > share).count();
    let within: usize = claims.values().map(|count| *count.min(&share)).sum();
    within + over.min(extra)
}

fn check_owners(group: &GroupView, owners: &BTreeMap<TopicPartition, Owners>, given: &Assignment) {
    check(group, given);
    let now = self::owners(given);
    let count = |member: &Arc<str>| given[member].partitions.len();
    let stayed = owners
        .iter()
        .filter(|(partition, owners)| owners.first() == Some(now[*partition]))
        .count();
    assert_eq!(
        stayed,
        most_that_can_stay(owners, group.members.len()),
        "more moves than balance needs: {owners:?} {given:?}"
    );
    for (partition, owners) in owners {
        let [last, before, ..] = owners.as_slice() else {
            continue;
        };
        let holder = now[partition];
        assert!(
            holder == last || count(holder) <= count(before),
            "{before} had {partition:?} before {last} and could take it, but {holder} got it"
        );
    }
    // A member gives up what can go back, rather than what cannot.
    for (kept, of_kept) in owners
        .iter()
        .filter(|(kept, _)| Some(now[*kept]) == owners[*kept].first())
    {
        let [last, before, ..] = of_kept.as_slice() else {
            continue;
        };
        for (lost, of_lost) in owners
            .iter()
            .filter(|(_, owners)| owners.first() == Some(last))
        {
            let holder = now[lost];
            assert!(
                of_lost.iter().take(2).any(|owner| owner == holder)
                    || count(holder) <= count(before),
                "{last} keeps {kept:?}, which {before} could take back, and loses {lost:?} to {holder}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn a_partition_goes_back_to_its_previous_owner_rather_than_to_a_third_member(history in histories()) {
        let (group, owners) = told(&history);
        let given = assign(&group);
        check_owners(&group, &owners, &given);
        prop_assert_eq!(StickyAssignor.assign_by_owned(&group), given);
    }

    #[test]
    fn what_a_member_owns_goes_to_nobody_before_it_is_given_up(history in histories()) {
        let (group, owners) = told(&history);
        let given = CooperativeStickyAssignor.assign(&group).expect("an assignment");
        for (member, given) in &given {
            for partition in &given.partitions {
                prop_assert!(
                    owners[partition].first().is_none_or(|owner| owner == member),
                    "{member} gets {partition:?}, which another member owns"
                );
            }
        }
    }
}
