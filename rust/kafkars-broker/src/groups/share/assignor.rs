//! Kafka's assignor `simple`: it says which partitions each member of a share group is to fetch.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::Uuid;

use crate::topic::TopicIdPartition;

/// The name of the only assignor.
pub(super) const NAME: &str = "simple";

/// The target of each reader, in their order. Readers of the same topics share all their partitions: each partition has
/// a reader, and where there are more readers, they share partitions. Otherwise this is done topic by topic.
pub(super) fn spread(
    topics: &BTreeMap<String, (Uuid, i32)>,
    readers: &[&BTreeSet<String>],
) -> Vec<BTreeSet<TopicIdPartition>> {
    let mut targets = vec![BTreeSet::new(); readers.len()];
    if readers.windows(2).all(|two| two[0] == two[1]) {
        let all: Vec<TopicIdPartition> = topics.values().flat_map(partitions_of).collect();
        let everybody: Vec<usize> = (0..readers.len()).collect();
        deal(&mut targets, &everybody, &all, 0);
        return targets;
    }
    // Topics begin with different readers, so that many small topics do not all go to the first one.
    let mut turn = 0;
    for (name, topic) in topics {
        let reading = |index: &usize| readers[*index].contains(name);
        let reading: Vec<usize> = (0..readers.len()).filter(reading).collect();
        let partitions: Vec<TopicIdPartition> = partitions_of(topic).collect();
        deal(&mut targets, &reading, &partitions, turn);
        turn += partitions.len();
    }
    targets
}

/// Deals partitions in turn, again from the first while there are readers without one.
fn deal(
    targets: &mut [BTreeSet<TopicIdPartition>],
    readers: &[usize],
    partitions: &[TopicIdPartition],
    turn: usize,
) {
    if readers.is_empty() || partitions.is_empty() {
        return;
    }
    for place in 0..partitions.len().max(readers.len()) {
        let reader = readers[(turn + place) % readers.len()];
        targets[reader].insert(partitions[place % partitions.len()]);
    }
}

fn partitions_of((id, count): &(Uuid, i32)) -> impl Iterator<Item = TopicIdPartition> + use<> {
    let id = *id;
    (0..*count).map(move |index| (id, index))
}
