//! The assignor spreads partitions over the members of a share group.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::Uuid;

use super::assignor::spread;

fn topics(sizes: &[(&str, i32)]) -> BTreeMap<String, (Uuid, i32)> {
    let numbered = sizes.iter().zip(1..);
    numbered
        .map(|((name, partitions), number)| ((*name).to_owned(), (Uuid([number; 16]), *partitions)))
        .collect()
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn sizes(topics: &BTreeMap<String, (Uuid, i32)>, readers: &[&BTreeSet<String>]) -> Vec<usize> {
    spread(topics, readers).iter().map(BTreeSet::len).collect()
}

#[test]
fn every_partition_has_a_reader_and_nobody_has_more_than_a_share() {
    let topics = topics(&[("a", 5), ("b", 1)]);
    let both = names(&["a", "b"]);
    assert_eq!(sizes(&topics, &[&both]), [6]);
    assert_eq!(sizes(&topics, &[&both, &both]), [3, 3]);
}

#[test]
fn more_readers_than_partitions_share_them() {
    let topics = topics(&[("a", 2)]);
    let reads = names(&["a"]);
    let readers = [&reads; 5];
    assert_eq!(sizes(&topics, &readers), [1; 5]);
    let all: BTreeSet<_> = spread(&topics, &readers).into_iter().flatten().collect();
    assert_eq!(all.len(), 2);
}

#[test]
fn nobody_gets_what_he_does_not_read() {
    let topics = topics(&[("a", 2), ("b", 2)]);
    let (a, b, none) = (names(&["a"]), names(&["b"]), names(&["c"]));
    let targets = spread(&topics, &[&a, &b, &none]);
    assert!(targets[0].iter().all(|(id, _)| *id == Uuid([1; 16])));
    assert_eq!(sizes(&topics, &[&a, &b, &none]), [2, 2, 0]);
}
