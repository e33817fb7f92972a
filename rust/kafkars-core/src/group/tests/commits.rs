//! Which offsets reach the coordinator, in which order, and who may send them.

use kafkars_protocol::messages::offset_commit::{
    OffsetCommitResponse, OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};

use super::*;
use crate::config::TopicPartition;
use crate::error_kind::{SecurityError, SecurityProblem};

/// The last commit of partitions that went away keeps its time, because no other commit repeats it.
#[test]
fn the_end_of_a_subscription_ends_only_commits_that_somebody_waits_for() {
    let mut office = Office::new();
    let last = office.commit(0, 5, 60);
    let awaited = office.commit(1, 5, 60);
    office.commits.note_last(last);
    office.commits.end_awaited_by(office.desk.now);
    let request = office.next_request().expect("one is left");
    let ended = office.commits.next_outcome().expect("one has ended");
    assert_eq!(ended.id, awaited);
    assert!(matches!(ended.result, Err(CommitError::TimedOut { .. })));
    office.answer(&request, ErrorCode::None);
    let ended = office.commits.next_outcome().expect("the other too");
    assert_eq!((ended.id, ended.result), (last, Ok(())));
}

/// No call waits for automatic commits either: what is finished is committed with the revocation, beside them.
#[test]
fn the_end_of_a_subscription_ends_no_automatic_commit() {
    let mut office = Office::new();
    let made = |office: &mut Office| {
        let (now, membership) = (office.desk.now, &mut office.desk.membership);
        let finished = || offsets(&[(0, 5)]);
        office
            .commits
            .commit_automatically(now, membership, finished)
    };
    assert_eq!(made(&mut office), None);
    office.desk.pass(Duration::from_secs(6));
    let automatic = made(&mut office).expect("it is time");
    office.commits.end_awaited_by(office.desk.now);
    let request = office.next_request().expect("it is left");
    office.answer(&request, ErrorCode::None);
    let ended = office.commits.next_outcome().expect("an outcome");
    assert_eq!((ended.id, ended.result), (automatic, Ok(())));
}

/// The coordinator refuses commits without a member id once the group has members, and others may own the partitions
/// then.
#[test]
fn commits_from_before_a_subscription_leave_before_it_joins_and_never_as_the_members() {
    for (code, is_consumer) in [
        (ErrorCode::None, false),
        (ErrorCode::None, true),
        (ErrorCode::UnknownMemberId, false),
        (ErrorCode::UnknownMemberId, true),
    ] {
        let mut office = Office::outside(is_consumer);
        let before = office.commit(0, 5, 60);
        office.desk.subscribe(&[TOPIC]);
        let after = office.commit(1, 6, 60);
        let request = office.next_request().expect("the former one");
        assert_eq!(sent(&request), [(0, 5)]);
        assert_eq!(request.request.member_id, "");
        assert_eq!(request.request.generation_id_or_member_epoch, -1);
        office.desk.pass(Duration::from_secs(2));
        assert!(office.desk.try_next().is_none(), "it joins later");
        let wake_at = office.desk.membership.wake_at();
        assert!(wake_at.is_none_or(|at| at > office.desk.now), "at rest");
        office.answer(&request, code);
        let ended = office.outcomes();
        assert_eq!(ended.len(), 1);
        assert_eq!(
            (ended[0].id, ended[0].result.is_ok()),
            (before, code == ErrorCode::None)
        );
        assert!(office.next_request().is_none(), "{after:?} is a member's");
        assert!(office.desk.try_next().is_some(), "the join");
    }
}

#[test]
fn a_join_waits_no_longer_than_it_is_told_for_commits_from_before() {
    let mut office = Office::outside(false);
    let before = office.commit(0, 5, 600);
    office.desk.subscribe(&[TOPIC]);
    office
        .commits
        .end_outside_by(office.desk.now + Duration::from_secs(3));
    let _silent = office.next_request().expect("the former one");
    office.desk.pass(Duration::from_secs(4));
    assert!(office.next_request().is_none());
    let ended = office.outcomes();
    assert_eq!(ended.len(), 1);
    assert_eq!(ended[0].id, before);
    assert!(matches!(ended[0].result, Err(CommitError::TimedOut { .. })));
    office.desk.work();
    assert!(office.desk.try_next().is_some(), "the join");
}

#[test]
fn an_automatic_commit_that_is_left_out_is_due_an_interval_later() {
    let mut office = Office::new();
    let made = |office: &mut Office| {
        let (now, membership) = (office.desk.now, &mut office.desk.membership);
        let finished = || offsets(&[(0, 5)]);
        office
            .commits
            .commit_automatically(now, membership, finished)
    };
    assert_eq!(made(&mut office), None);
    office.desk.pass(Duration::from_secs(6));
    office.commits.skip_automatic(office.desk.now);
    assert_eq!(made(&mut office), None);
    office.desk.pass(Duration::from_secs(6));
    assert!(made(&mut office).is_some());
}

/// A commit that is made after a handshake failed waits for the next one.
#[test]
fn a_handshake_that_fails_ends_the_commits_that_were_made_before_it() {
    let mut office = Office::new();
    let early = office.commit(0, 5, 60);
    let request = office.next_request().expect("it leaves");
    office.desk.pass(Duration::from_secs(1));
    let failed_at = office.desk.now;
    office.desk.pass(Duration::from_secs(1));
    let late = office.commit(0, 6, 60);
    let failure = SecurityError {
        problem: SecurityProblem::Authentication,
        address: "broker:9092".into(),
        cause: "wrong password".into(),
    };
    let (now, membership) = (office.desk.now, &mut office.desk.membership);
    let refusal = |began| (began <= failed_at).then(|| failure.clone());
    office.commits.end_locked_out(now, membership, refusal);
    let ended = office.commits.next_outcome().expect("one has ended");
    assert_eq!(
        (ended.id, ended.result),
        (early, Err(CommitError::Security(failure.clone())))
    );
    assert_eq!(office.commits.next_outcome(), None);
    // The request under way may have arrived or not: the next one comes after it.
    office.answer(&request, ErrorCode::None);
    let request = office.next_request().expect("the other leaves");
    office.answer(&request, ErrorCode::None);
    let ended = office.commits.next_outcome().expect("the other too");
    assert_eq!((ended.id, ended.result), (late, Ok(())));
}

struct Office {
    desk: Desk,
    commits: CommitQueue,
}

impl Office {
    /// A consumer that is not subscribed, of a group whose coordinator is known.
    fn outside(is_consumer: bool) -> Self {
        let mut desk = match is_consumer {
            true => Desk::new(GroupProtocol::Consumer, &[], |_| {}),
            false => Desk::new(GroupProtocol::Classic, &["range"], |_| {}),
        };
        assert!(desk.membership.coordinator(desk.now).is_none());
        desk.work();
        let commits = CommitQueue::new(desk.membership.config(), 1);
        Self { desk, commits }
    }

    /// A member that owns partitions 0 to 3 as of generation 1.
    fn new() -> Self {
        let mut desk = Desk::classic(&["cooperative-sticky"], |_| {});
        desk.join_alone(1);
        let assigned = desk.next_change();
        desk.done(&assigned);
        let commits = CommitQueue::new(desk.membership.config(), 1);
        Self { desk, commits }
    }

    fn commit(&mut self, partition: i32, offset: i64, within: u64) -> CommitId {
        let deadline = self.desk.now + Duration::from_secs(within);
        let offsets = offsets(&[(partition, offset)]);
        let (now, membership) = (self.desk.now, &mut self.desk.membership);
        self.commits
            .commit(now, membership, offsets, deadline)
            .unwrap()
    }

    fn next_request(&mut self) -> Option<CommitCall> {
        self.next_request_in(&cluster())
    }

    fn next_request_in(&mut self, cluster: &Cluster) -> Option<CommitCall> {
        let now = self.desk.now;
        self.commits
            .next_request(now, &mut self.desk.membership, cluster)
    }

    /// Refuses each try until the commit ends, at most `most` times; returns how many tries there were.
    fn refuse_in(&mut self, cluster: &Cluster, code: ErrorCode, most: u32) -> u32 {
        for tries in 0..most {
            self.desk.pass(Duration::from_secs(2));
            let Some(request) = self.next_request_in(cluster) else {
                return tries;
            };
            self.answer(&request, code);
        }
        most
    }

    /// After any pause between tries.
    fn next_try(&mut self) -> CommitCall {
        self.desk.pass(Duration::from_secs(2));
        self.next_request().expect("another try")
    }

    fn answer(&mut self, to: &CommitCall, code: ErrorCode) {
        let topic = &to.request.topics[0];
        let partitions = topic.partitions.iter();
        let partitions = partitions.map(|partition| OffsetCommitResponsePartition {
            partition_index: partition.partition_index,
            error_code: code.code(),
        });
        let response = OffsetCommitResponse {
            topics: vec![OffsetCommitResponseTopic {
                name: topic.name.clone(),
                partitions: partitions.collect(),
                ..OffsetCommitResponseTopic::default()
            }],
            ..OffsetCommitResponse::default()
        };
        let (now, membership) = (self.desk.now, &mut self.desk.membership);
        self.commits.answered(now, membership, to.id, &response);
        self.desk.work();
    }

    fn outcomes(&mut self) -> Vec<CommitOutcome> {
        std::iter::from_fn(|| self.commits.next_outcome()).collect()
    }
}

fn offsets(list: &[(i32, i64)]) -> Offsets {
    let place = |partition| TopicPartition {
        topic: Arc::from(TOPIC),
        partition,
    };
    list.iter()
        .map(|(partition, offset)| (place(*partition), OffsetAndMetadata::new(*offset)))
        .collect()
}

fn sent(request: &CommitCall) -> Vec<(i32, i64)> {
    let topics = request.request.topics.iter();
    topics
        .flat_map(|topic| &topic.partitions)
        .map(|one| (one.partition_index, one.committed_offset))
        .collect()
}

#[test]
fn commits_that_wait_leave_together_and_end_oldest_first() {
    let mut office = Office::new();
    let first = office.commit(0, 10, 60);
    let second = office.commit(1, 5, 60);
    let third = office.commit(0, 12, 60);
    let request = office.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 12), (1, 5)]);
    assert!(office.next_request().is_none(), "one at a time");
    office.answer(&request, ErrorCode::None);
    let ids: Vec<CommitId> = office.outcomes().iter().map(|one| one.id).collect();
    assert_eq!(ids, [first, second, third]);
}

/// A later commit may have arrived though its answer is lost; an earlier one with more patience must not undo it.
#[test]
fn a_commit_never_goes_back_behind_one_that_timed_out() {
    let mut office = Office::new();
    let patient = office.commit(0, 10, 60);
    let hasty = office.commit(0, 12, 1);
    let request = office.next_request().unwrap();
    let (now, membership) = (office.desk.now, &mut office.desk.membership);
    let failure = RequestFailure::Retriable("connection lost".into());
    office.commits.failed(now, membership, request.id, failure);
    office.desk.work();

    let request = office.next_try();
    let outcomes = office.outcomes();
    assert_eq!(outcomes[0].id, hasty);
    assert!(matches!(
        outcomes[0].result,
        Err(CommitError::TimedOut { .. })
    ));
    assert_eq!(sent(&request), [(0, 12)]);
    office.answer(&request, ErrorCode::None);
    let outcomes = office.outcomes();
    assert_eq!(outcomes[0].id, patient);
    assert_eq!(outcomes[0].result, Ok(()));
}

#[test]
fn a_commit_during_a_rebalance_is_made_by_the_next_generation() {
    let mut office = Office::new();
    office.commit(0, 10, 60);
    let request = office.next_request().unwrap();
    assert_eq!(request.request.generation_id_or_member_epoch, 1);
    office.answer(&request, ErrorCode::RebalanceInProgress);
    assert!(office.outcomes().is_empty());
    office.desk.join_alone(2);
    let request = office.next_try();
    assert_eq!(request.request.generation_id_or_member_epoch, 2);
    office.answer(&request, ErrorCode::None);
    assert_eq!(office.outcomes()[0].result, Ok(()));
}

#[test]
fn a_commit_of_a_member_that_was_thrown_out_is_fenced() {
    let mut office = Office::new();
    office.commit(0, 10, 60);
    let request = office.next_request().unwrap();
    office.answer(&request, ErrorCode::UnknownMemberId);
    let lost = office.desk.next_change();
    assert!(matches!(lost.kind, ChangeKind::Lost(_)));
    office.desk.done(&lost);
    office.desk.join_alone(5);
    office.desk.pass(Duration::from_secs(2));
    assert!(office.next_request().is_none());
    let Err(CommitError::Fenced { partitions, .. }) = &office.outcomes()[0].result else {
        panic!("fenced");
    };
    assert_eq!(partitions.len(), 1);
}

/// The consumer may learn of a loss later than its membership: its positions must not become those of the new owner.
#[test]
fn positions_of_partitions_that_went_away_are_not_committed() {
    let mut office = Office::new();
    let deadline = office.desk.now + Duration::from_secs(60);
    let (now, membership) = (office.desk.now, &mut office.desk.membership);
    let positions = offsets(&[(0, 10), (9, 3)]);
    office
        .commits
        .commit_positions(now, membership, positions, deadline)
        .unwrap();
    let request = office.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 10)]);
    office.answer(&request, ErrorCode::None);
    let Err(CommitError::Fenced { partitions, .. }) = &office.outcomes()[0].result else {
        panic!("fenced");
    };
    assert_eq!(partitions[0].partition, 9);
}

#[test]
fn automatic_commits_are_of_owned_partitions_and_made_when_it_is_time() {
    let mut office = Office::new();
    let interval = office.desk.membership.config().auto_commit_interval;
    let finished = || offsets(&[(0, 10), (9, 3)]);
    let (commits, desk) = (&mut office.commits, &mut office.desk);
    assert_eq!(
        commits.commit_automatically(desk.now, &mut desk.membership, finished),
        None
    );
    assert_eq!(commits.wake_at(), Some(desk.now + interval));
    desk.pass(interval);
    let made = commits.commit_automatically(desk.now, &mut desk.membership, finished);
    assert!(made.is_some());
    let request = office.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 10)]);
}

#[test]
fn a_queue_at_its_end_does_not_wake_for_automatic_commits() {
    let mut office = Office::new();
    let interval = office.desk.membership.config().auto_commit_interval;
    let finished = || offsets(&[(0, 10)]);
    let (commits, desk) = (&mut office.commits, &mut office.desk);
    commits.commit_automatically(desk.now, &mut desk.membership, finished);
    assert_eq!(commits.wake_at(), Some(desk.now + interval));
    commits.end_automatic();
    assert_eq!(commits.wake_at(), None);
    desk.pass(interval);
    let made = commits.commit_automatically(desk.now, &mut desk.membership, finished);
    assert_eq!((made, commits.wake_at()), (None, None));
}

/// Metadata of a topic that was deleted.
fn without_topic() -> Cluster {
    let topic = MetadataResponseTopic {
        name: Some(TOPIC.to_owned()),
        error_code: ErrorCode::UnknownTopicOrPartition.code(),
        ..MetadataResponseTopic::default()
    };
    let response = MetadataResponse {
        topics: vec![topic],
        ..MetadataResponse::default()
    };
    let merged = cluster().merge(&response, 13, Scope::Named);
    merged.expect("news")
}

const UNKNOWN: [ErrorCode; 2] = [
    ErrorCode::UnknownTopicOrPartition,
    ErrorCode::UnknownTopicId,
];

/// Others wait for the revocation, and nobody can commit the offset any more.
#[test]
fn what_goes_waits_for_no_topic_that_is_gone() {
    for code in UNKNOWN {
        let mut office = Office::new();
        let going = office.commit(0, 5, 60);
        office.commits.note_awaited(going);
        assert_eq!(office.refuse_in(&without_topic(), code, 9), 1);
        assert_eq!(office.commits.take_doubted(), [TOPIC.into()]);
        let ended = office.outcomes();
        let error = ended[0].result.clone().expect_err("refused");
        assert!(error.is_unknown_topic() && error.to_string().contains(TOPIC));
        assert_eq!(ended[0].unless_gone(), Ok(()));
        assert_eq!((ended[0].gone.len(), ended[0].committed().count()), (1, 0));
        // The next commit does not wait for the pause.
        office.commit(1, 5, 60);
        assert!(office.next_request().is_some());
    }
}

/// Brokers may lag behind the creation of a topic.
#[test]
fn a_commit_that_is_asked_for_needs_several_refusals_and_the_word_of_metadata() {
    for code in UNKNOWN {
        let mut office = Office::new();
        office.commit(0, 5, 600);
        assert_eq!(office.refuse_in(&without_topic(), code, 9), 3);
        assert!(office.outcomes()[0].result.is_err());
        office.commit(0, 5, 600);
        assert_eq!(office.refuse_in(&cluster(), code, 10), 10);
        let request = office.next_try();
        office.answer(&request, ErrorCode::None);
        assert_eq!(office.outcomes()[0].result, Ok(()));
    }
}

#[test]
fn what_goes_waits_a_little_where_metadata_has_the_topic() {
    for code in UNKNOWN {
        let mut office = Office::new();
        let going = office.commit(0, 5, 600);
        office.commits.note_awaited(going);
        assert_eq!(office.refuse_in(&cluster(), code, 20), 5);
        let ended = office.outcomes();
        assert!(ended[0].unless_gone().is_err(), "it may be there");
        let going = office.commit(0, 5, 600);
        office.commits.note_awaited(going);
        assert_eq!(office.refuse_in(&cluster(), code, 4), 4);
        let request = office.next_try();
        office.answer(&request, ErrorCode::None);
        assert_eq!(office.outcomes()[0].result, Ok(()));
    }
}

/// Of one commit some partitions may be there and others not.
#[test]
fn a_topic_that_is_gone_does_not_hide_what_is_committed_nor_what_else_fails() {
    for (code, is_committed) in [
        (ErrorCode::None, true),
        (ErrorCode::OffsetMetadataTooLarge, false),
    ] {
        let mut office = Office::new();
        let (now, membership) = (office.desk.now, &mut office.desk.membership);
        let deadline = now + Duration::from_secs(60);
        let both = offsets(&[(0, 5), (1, 6)]);
        let id = office.commits.commit(now, membership, both, deadline);
        office.commits.note_awaited(id.expect("taken"));
        let request = office.next_request().expect("both");
        let topic = &request.request.topics[0];
        let answer = |(partition, code): (i32, ErrorCode)| OffsetCommitResponsePartition {
            partition_index: partition,
            error_code: code.code(),
        };
        let codes = [(0, ErrorCode::UnknownTopicId), (1, code)];
        let response = OffsetCommitResponse {
            topics: vec![OffsetCommitResponseTopic {
                topic_id: topic.topic_id,
                partitions: codes.into_iter().map(answer).collect(),
                ..OffsetCommitResponseTopic::default()
            }],
            ..OffsetCommitResponse::default()
        };
        let (now, membership) = (office.desk.now, &mut office.desk.membership);
        office
            .commits
            .answered(now, membership, request.id, &response);
        assert!(office.next_request_in(&without_topic()).is_none());
        let ended = office.outcomes();
        assert_eq!(ended[0].unless_gone().is_ok(), is_committed);
        assert_eq!(ended[0].committed().count(), usize::from(is_committed));
    }
}

/// The topic was deleted and created again before the coordinator has the offset.
#[test]
fn a_commit_goes_on_naming_the_topic_in_which_its_offset_was_reached() {
    let again = Uuid([9; 16]);
    for is_stamped in [false, true] {
        let mut office = Office::new();
        let (now, membership) = (office.desk.now, &mut office.desk.membership);
        let mut old = offsets(&[(0, 5)]);
        if is_stamped {
            old.values_mut().for_each(|one| one.topic_id = TOPIC_ID);
        }
        let deadline = now + Duration::from_secs(60);
        let old = office
            .commits
            .commit(now, membership, old, deadline)
            .expect("taken");
        let request = office.next_request().expect("it leaves");
        assert_eq!(request.request.topics[0].topic_id, TOPIC_ID);
        office.answer(&request, ErrorCode::UnknownTopicId);
        // A position in the new topic does not replace that in the old one, nor the other way round.
        let mut new = offsets(&[(0, 1)]);
        new.values_mut().for_each(|one| one.topic_id = again);
        let (now, membership) = (office.desk.now, &mut office.desk.membership);
        let new = office
            .commits
            .commit(now, membership, new, deadline)
            .expect("taken");
        let metadata = cluster_with(again);
        let mut ended = Vec::new();
        for _ in 0..3 {
            office.desk.pass(Duration::from_secs(2));
            let Some(request) = office.next_request_in(&metadata) else {
                break;
            };
            let answers = request
                .request
                .topics
                .iter()
                .map(|topic| OffsetCommitResponseTopic {
                    topic_id: topic.topic_id,
                    partitions: vec![OffsetCommitResponsePartition {
                        partition_index: 0,
                        error_code: match topic.topic_id == again {
                            true => ErrorCode::None.code(),
                            false => ErrorCode::UnknownTopicId.code(),
                        },
                    }],
                    ..OffsetCommitResponseTopic::default()
                });
            let response = OffsetCommitResponse {
                topics: answers.collect(),
                ..OffsetCommitResponse::default()
            };
            let (now, membership) = (office.desk.now, &mut office.desk.membership);
            office
                .commits
                .answered(now, membership, request.id, &response);
            ended.extend(office.outcomes());
        }
        office.next_request_in(&metadata);
        ended.extend(office.outcomes());
        ended.sort_by_key(|outcome| outcome.id);
        assert_eq!(ended.len(), 2);
        assert_eq!((ended[0].id, ended[0].gone.len()), (old, 1));
        assert_eq!((ended[1].id, &ended[1].result), (new, &Ok(())));
    }
}
