use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::metadata::{MetadataResponsePartition, MetadataResponseTopic};
use proptest::prelude::*;

use super::*;

const NEWEST: i16 = 13;

fn id(byte: u8) -> Uuid {
    Uuid([byte; 16])
}

fn partition(index: i32, leader: i32, epoch: i32) -> MetadataResponsePartition {
    MetadataResponsePartition {
        partition_index: index,
        leader_id: leader,
        leader_epoch: epoch,
        replica_nodes: vec![1, 2],
        isr_nodes: vec![1],
        ..MetadataResponsePartition::default()
    }
}

fn topic(
    name: &str,
    id: Uuid,
    partitions: Vec<MetadataResponsePartition>,
) -> MetadataResponseTopic {
    MetadataResponseTopic {
        name: Some(name.to_owned()),
        topic_id: id,
        partitions,
        ..MetadataResponseTopic::default()
    }
}

fn broken(name: &str, code: ErrorCode) -> MetadataResponseTopic {
    MetadataResponseTopic {
        error_code: code.code(),
        ..topic(name, Uuid::ZERO, Vec::new())
    }
}

fn response(topics: Vec<MetadataResponseTopic>) -> MetadataResponse {
    let broker = |node_id| MetadataResponseBroker {
        node_id,
        host: format!("host{node_id}"),
        port: 9092,
        ..MetadataResponseBroker::default()
    };
    MetadataResponse {
        brokers: vec![broker(1), broker(2)],
        cluster_id: Some("c".to_owned()),
        controller_id: 1,
        topics,
        ..MetadataResponse::default()
    }
}

fn cluster(topics: Vec<MetadataResponseTopic>) -> Cluster {
    merged(&Cluster::default(), topics)
}

fn merged(cluster: &Cluster, topics: Vec<MetadataResponseTopic>) -> Cluster {
    let next = cluster.merge(&response(topics), NEWEST, Scope::Named);
    next.unwrap_or_else(|| cluster.clone())
}

fn leader(node: i32, epoch: i32) -> Option<Leader> {
    Some(Leader { node, epoch })
}

#[test]
fn the_first_answer_describes_brokers_and_topics() {
    let cluster = cluster(vec![topic(
        "a",
        id(1),
        vec![partition(1, 2, 4), partition(0, 1, 3)],
    )]);
    assert_eq!(cluster.version, 1);
    assert_eq!(cluster.cluster_id.as_deref(), Some("c"));
    assert_eq!(cluster.controller, Some(1));
    assert_eq!(
        cluster.broker(2).map(|broker| broker.host.as_str()),
        Some("host2")
    );
    assert_eq!(cluster.leader("a", 0), leader(1, 3));
    assert_eq!(cluster.leader("a", 1), leader(2, 4));
    assert_eq!(cluster.leader("a", 2), None);
    assert_eq!(cluster.leader("a", -1), None);
    assert_eq!(cluster.leader("b", 0), None);
    assert_eq!(
        cluster.topic_by_id(id(1)).map(|topic| topic.name.as_str()),
        Some("a")
    );
}

#[test]
fn an_answer_without_news_makes_no_snapshot() {
    let answer = response(vec![topic("a", id(1), vec![partition(0, 1, 3)])]);
    let cluster = Cluster::default()
        .merge(&answer, NEWEST, Scope::Named)
        .expect("news");
    assert!(cluster.merge(&answer, NEWEST, Scope::Named).is_none());
}

#[test]
fn leader_epochs_never_go_back() {
    let cluster = cluster(vec![topic("a", id(1), vec![partition(0, 2, 5)])]);
    let late = merged(&cluster, vec![topic("a", id(1), vec![partition(0, 1, 4)])]);
    assert_eq!(late.leader("a", 0), leader(2, 5));
    let newer = merged(&late, vec![topic("a", id(1), vec![partition(0, 1, 6)])]);
    assert_eq!(newer.leader("a", 0), leader(1, 6));
}

#[test]
fn a_partition_without_leader_still_bounds_later_epochs() {
    let cluster = cluster(vec![topic("a", id(1), vec![partition(0, 2, 5)])]);
    let leaderless = merged(
        &cluster,
        vec![topic("a", id(1), vec![partition(0, -1, -1)])],
    );
    assert_eq!(leaderless.leader("a", 0), None);
    let late = merged(
        &leaderless,
        vec![topic("a", id(1), vec![partition(0, 1, 4)])],
    );
    assert_eq!(late.leader("a", 0), None);
}

#[test]
fn a_topic_created_anew_starts_its_epochs_afresh() {
    let cluster = cluster(vec![topic(
        "a",
        id(1),
        vec![partition(0, 2, 5), partition(1, 2, 5)],
    )]);
    let gone = merged(
        &cluster,
        vec![broken("a", ErrorCode::UnknownTopicOrPartition)],
    );
    let anew = merged(&gone, vec![topic("a", id(2), vec![partition(0, 1, 0)])]);
    assert_eq!(anew.leader("a", 0), leader(1, 0));
    assert_eq!(anew.topic("a").map(|topic| topic.partitions.len()), Some(1));
    assert!(anew.topic_by_id(id(1)).is_none());
    assert!(anew.topic_by_id(id(2)).is_some());
}

#[test]
fn epochs_of_old_brokers_are_not_trusted() {
    let old = |leader, epoch| {
        response(vec![topic(
            "a",
            Uuid::ZERO,
            vec![partition(0, leader, epoch)],
        )])
    };
    let cluster = Cluster::default()
        .merge(&old(1, 7), 8, Scope::Named)
        .expect("news");
    assert_eq!(cluster.leader("a", 0), leader(1, -1));
    let cluster = cluster.merge(&old(2, 6), 8, Scope::Named).expect("news");
    assert_eq!(cluster.leader("a", 0), leader(2, -1));
}

#[test]
fn an_unknown_topic_is_kept_with_its_error_and_what_was_known() {
    let cluster = cluster(vec![topic("a", id(1), vec![partition(0, 2, 5)])]);
    let unsure = merged(
        &cluster,
        vec![broken("a", ErrorCode::UnknownTopicOrPartition)],
    );
    let topic = unsure.topic("a").expect("kept");
    assert_eq!(topic.error, Some(ErrorCode::UnknownTopicOrPartition));
    assert!(topic.is_unsettled());
    assert_eq!(unsure.leader("a", 0), leader(2, 5));
    let refused = merged(
        &unsure,
        vec![broken("a", ErrorCode::TopicAuthorizationFailed)],
    );
    assert_eq!(refused.leader("a", 0), None);
    assert!(!refused.topic("a").expect("kept").is_unsettled());
}

#[test]
fn other_topics_are_shared_not_copied() {
    let many =
        (0..10_000).map(|n| topic(&format!("t{n}"), Uuid([0; 16]), vec![partition(0, 1, 1)]));
    let before = cluster(many.collect());
    let after = merged(
        &before,
        vec![topic("t5", Uuid::ZERO, vec![partition(0, 2, 2)])],
    );
    assert!(Arc::ptr_eq(
        before.topic("t6").expect("known"),
        after.topic("t6").expect("known")
    ));
    assert_eq!(before.leader("t5", 0), leader(1, 1));
    assert_eq!(after.leader("t5", 0), leader(2, 2));
}

#[test]
fn an_answer_for_all_topics_drops_those_it_lacks() {
    let cluster = cluster(vec![topic("a", id(1), vec![]), topic("b", id(2), vec![])]);
    let answer = response(vec![topic("b", id(2), vec![])]);
    let after = cluster.merge(&answer, NEWEST, Scope::All).expect("news");
    assert!(after.topic("a").is_none());
    assert!(after.topic_by_id(id(1)).is_none());
    assert!(after.topic("b").is_some());
}

#[test]
fn brokers_are_replaced_by_the_latest_list() {
    let cluster = cluster(vec![]);
    let mut answer = response(vec![]);
    answer.brokers.remove(0);
    answer.brokers[0].port = 9999;
    let after = cluster.merge(&answer, NEWEST, Scope::Named).expect("news");
    assert!(after.broker(1).is_none());
    assert_eq!(after.broker(2).map(|broker| broker.port), Some(9999));
    answer.brokers.clear();
    let starting = after.merge(&answer, NEWEST, Scope::Named);
    assert!(starting.is_none_or(|cluster| cluster.broker(2).is_some()));
}

#[test]
fn another_cluster_behind_the_address_forgets_the_topics() {
    let cluster = cluster(vec![topic("a", id(1), vec![partition(0, 2, 5)])]);
    let mut answer = response(vec![]);
    answer.cluster_id = Some("d".to_owned());
    let after = cluster.merge(&answer, NEWEST, Scope::Named).expect("news");
    assert!(after.topic("a").is_none());
}

#[test]
fn a_leader_hint_counts_only_when_newer_and_reachable() {
    let cluster = cluster(vec![topic("a", id(1), vec![partition(0, 1, 5)])]);
    let hint = |node, epoch| LeaderHint {
        topic: "a",
        partition: 0,
        leader: Leader { node, epoch },
    };
    assert!(cluster.apply_leader_hints(&[hint(2, 5)], &[]).is_none());
    assert!(cluster.apply_leader_hints(&[hint(-1, 6)], &[]).is_none());
    assert!(cluster.apply_leader_hints(&[hint(3, 6)], &[]).is_none());
    let after = cluster
        .apply_leader_hints(&[hint(2, 6)], &[])
        .expect("news");
    assert_eq!(after.leader("a", 0), leader(2, 6));
    let node = BrokerNode {
        id: 3,
        host: "host3".to_owned(),
        port: 9093,
        rack: None,
    };
    let after = after
        .apply_leader_hints(&[hint(3, 7)], &[node])
        .expect("news");
    assert_eq!(after.leader("a", 0), leader(3, 7));
    assert_eq!(after.broker(3).map(|broker| broker.port), Some(9093));
    // The refresh that follows comes from a broker that does not know of the election yet.
    let late = merged(&after, vec![topic("a", id(1), vec![partition(0, 1, 5)])]);
    assert_eq!(late.leader("a", 0), leader(3, 7));
}

#[test]
fn absurd_partition_numbers_allocate_nothing() {
    let odd = vec![
        partition(i32::MAX, 1, 1),
        partition(-7, 1, 1),
        partition(0, 1, 1),
    ];
    let cluster = cluster(vec![topic("a", id(1), odd)]);
    let topic = cluster.topic("a").expect("known");
    assert_eq!(topic.partitions.len(), 3);
    assert_eq!(cluster.leader("a", 0), leader(1, 1));
    assert_eq!(cluster.leader("a", 1), None);
}

proptest! {
    #[test]
    fn in_any_order_of_answers_the_newest_election_wins(
        answers in prop::collection::vec((0i32..3, 0i32..5, 0i32..20), 1..40)
    ) {
        let mut cluster = Cluster::default();
        let mut newest = [-1i32; 3];
        for (index, node, epoch) in answers {
            let partitions = (0..3).map(|other| {
                let known = cluster.leader("a", other);
                if other == index {
                    partition(other, node, epoch)
                } else {
                    partition(other, known.map_or(-1, |leader| leader.node), known.map_or(-1, |leader| leader.epoch))
                }
            });
            cluster = merged(&cluster, vec![topic("a", id(1), partitions.collect())]);
            newest[index as usize] = newest[index as usize].max(epoch);
            for (index, epoch) in newest.iter().enumerate() {
                let seen = cluster.leader("a", index as i32).map_or(-1, |leader| leader.epoch);
                prop_assert_eq!(seen, *epoch);
            }
        }
    }
}

#[test]
fn partitions_share_their_lists_of_nodes() {
    let known = cluster(vec![topic(
        "a",
        id(1),
        (0..3).map(|index| partition(index, 1, 0)).collect(),
    )]);
    let partitions = &known.topic("a").expect("known").partitions;
    assert_eq!(
        (&*partitions[2].replicas, &*partitions[2].isr),
        (&[1, 2][..], &[1][..])
    );
    assert!(Arc::ptr_eq(
        &partitions[0].replicas,
        &partitions[2].replicas
    ));
}
