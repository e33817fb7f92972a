//! The consumer protocol (KIP-848): what heartbeats say, and what is done about their answers.

use super::*;

fn joined_member() -> TestMember {
    let mut member = TestMember::consumer(|config| {
        config.session_timeout = Duration::from_secs(600);
        config.rebalance_timeout = Some(Duration::from_secs(30));
    });
    member.take_in(1, &[0, 1]);
    let assigned = member.next_change();
    assert_eq!(assigned.partitions.len(), 2);
    member.done(&assigned);
    let (beat, request) = member.next_beat();
    assert_eq!(owned(&request), Some(vec![0, 1]));
    member.answer(&beat, target(2, None));
    member
}

fn owned(request: &ConsumerGroupHeartbeatRequest) -> Option<Vec<i32>> {
    let topics = request.topic_partitions.as_ref()?;
    Some(
        topics
            .iter()
            .flat_map(|topic| topic.partitions.clone())
            .collect(),
    )
}

#[test]
fn the_first_heartbeat_says_everything_and_later_ones_what_is_new() {
    let mut member = TestMember::consumer(|config| {
        config.group_remote_assignor = Some("uniform".to_owned());
        config.client_rack = Some("a".to_owned());
        config.rebalance_timeout = Some(Duration::from_secs(30));
    });
    let (beat, request) = member.next_beat();
    assert_eq!(request.server_assignor.as_deref(), Some("uniform"));
    assert_eq!(request.rack_id.as_deref(), Some("a"));
    assert_eq!(request.rebalance_timeout_ms, 30_000);
    assert_eq!(owned(&request), Some(Vec::new()));
    member.answer(&beat, target(1, Some(&[])));
    member.pass(Duration::from_secs(1));
    let (_, request) = member.next_beat();
    assert_eq!(request.server_assignor, None);
    assert_eq!(request.rebalance_timeout_ms, -1);
    assert_eq!(request.subscribed_topic_names, None);
    assert_eq!(owned(&request), None);
}

#[test]
fn a_pattern_goes_to_the_coordinator_and_replaces_names() {
    let mut member = joined_member();
    let pattern = Subscription::Pattern(Arc::from("ord.*"));
    member.membership.subscribe(member.now, pattern).unwrap();
    member.work();
    let (beat, request) = member.next_beat();
    assert_eq!(request.subscribed_topic_regex.as_deref(), Some("ord.*"));
    assert_eq!(request.subscribed_topic_names, Some(Vec::new()));
    member.answer(&beat, target(3, None));
    member.subscribe(&[TOPIC]);
    let (_, request) = member.next_beat();
    assert_eq!(request.subscribed_topic_regex.as_deref(), Some(""));
    assert_eq!(request.subscribed_topic_names, Some(vec![TOPIC.to_owned()]));
}

#[test]
fn new_partitions_wait_until_old_ones_are_given_up() {
    let mut member = joined_member();
    member.pass(Duration::from_secs(1));
    let (beat, _) = member.next_beat();
    member.answer(&beat, target(2, Some(&[1, 2])));
    let revoked = member.next_change();
    assert_eq!(revoked.partitions.len(), 1);
    assert!(member.told.is_empty());
    member.done(&revoked);
    let assigned = member.next_change();
    assert_eq!(assigned.partitions[0].partition, 2);
    let (_, request) = member.next_beat();
    assert_eq!(owned(&request), Some(vec![1, 2]));
}

/// The coordinator waits for a partition that it gave in a response that was lost, and then took back.
#[test]
fn what_is_owned_is_told_again_when_an_assignment_comes_unasked() {
    let mut member = joined_member();
    member.pass(Duration::from_secs(1));
    let (beat, request) = member.next_beat();
    assert_eq!(owned(&request), None);
    member.answer(&beat, target(2, Some(&[0, 1])));
    assert!(member.told.is_empty());
    let (beat, request) = member.next_beat();
    assert_eq!(owned(&request), Some(vec![0, 1]));
    member.answer(&beat, target(2, Some(&[0, 1])));
    assert!(member.try_next().is_none(), "once is enough");
}

#[test]
fn a_revocation_that_is_not_told_in_time_is_a_loss() {
    let mut member = joined_member();
    member.pass(Duration::from_secs(1));
    let (beat, _) = member.next_beat();
    member.answer(&beat, target(2, Some(&[1])));
    let revoked = member.next_change();
    member.pass(Duration::from_secs(28));
    assert!(member.told.is_empty());
    member.pass(Duration::from_secs(2));
    let lost = member.next_change();
    assert_eq!(lost.partitions.len(), 2);
    assert!(matches!(
        lost.kind,
        ChangeKind::Lost(GroupError::RebalanceTimeout { .. })
    ));
    member.done(&revoked);
    member.done(&lost);
    while let Some(sent) = member.try_next() {
        if let GroupRequest::ConsumerGroupHeartbeat(request) = sent.request
            && request.member_epoch == 0
        {
            return;
        }
    }
    panic!("it joins again");
}

#[test]
fn a_revocation_ends_with_what_comes_instead_even_if_that_is_nothing() {
    let mut member = joined_member();
    member.pass(Duration::from_secs(1));
    let (beat, _) = member.next_beat();
    member.answer(&beat, target(2, Some(&[1])));
    let revoked = member.next_change();
    assert_eq!(revoked.kind, ChangeKind::Revoked);
    assert!(member.told.is_empty(), "not before it is done");
    member.done(&revoked);
    let instead = member.next_change();
    assert_eq!(instead.kind, ChangeKind::Assigned);
    assert_eq!(instead.partitions, []);
    member.done(&instead);
    let (beat, request) = member.next_beat();
    assert_eq!(owned(&request), Some(vec![1]));
    member.answer(&beat, target(3, None));
    assert!(member.told.is_empty(), "once");
}
