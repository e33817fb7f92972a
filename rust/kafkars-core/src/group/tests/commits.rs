//! Which offsets reach the coordinator, in which order, and who may send them.

use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequestPartition, OffsetCommitResponse, OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
};

use super::*;
use crate::config::TopicPartition;
use crate::error_kind::{SecurityError, SecurityProblem};

/// The last commit of partitions that went away keeps its time, because no other commit repeats it.
#[test]
fn the_end_of_a_subscription_ends_only_commits_that_somebody_waits_for() {
    let mut committer = Committer::new();
    let last = committer.commit(0, 5, 60);
    let awaited = committer.commit(1, 5, 60);
    committer.commits.note_last(last);
    committer.commits.end_awaited_by(committer.member.now);
    let request = committer.next_request().expect("one is left");
    let ended = committer.commits.next_outcome().expect("one has ended");
    assert_eq!(ended.id, awaited);
    assert!(matches!(ended.result, Err(CommitError::TimedOut { .. })));
    committer.answer(&request, ErrorCode::None);
    let ended = committer.commits.next_outcome().expect("the other too");
    assert_eq!((ended.id, ended.result), (last, Ok(())));
}

/// No call waits for automatic commits either: what is finished is committed with the revocation, beside them.
#[test]
fn the_end_of_a_subscription_ends_no_automatic_commit() {
    let mut committer = Committer::new();
    let made = |committer: &mut Committer| {
        let (now, membership) = (committer.member.now, &mut committer.member.membership);
        let finished = || offsets(&[(0, 5)]);
        committer
            .commits
            .commit_automatically(now, membership, finished)
    };
    assert_eq!(made(&mut committer), None);
    committer.member.pass(Duration::from_secs(6));
    let automatic = made(&mut committer).expect("it is time");
    committer.commits.end_awaited_by(committer.member.now);
    let request = committer.next_request().expect("it is left");
    committer.answer(&request, ErrorCode::None);
    let ended = committer.commits.next_outcome().expect("an outcome");
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
        let mut committer = Committer::outside(is_consumer);
        let before = committer.commit(0, 5, 60);
        committer.member.subscribe(&[TOPIC]);
        let after = committer.commit(1, 6, 60);
        let request = committer.next_request().expect("the former one");
        assert_eq!(sent(&request), [(0, 5)]);
        assert_eq!(request.request.member_id, "");
        assert_eq!(request.request.generation_id_or_member_epoch, -1);
        committer.member.pass(Duration::from_secs(2));
        assert!(committer.member.try_next().is_none(), "it joins later");
        let wake_at = committer.member.membership.wake_at();
        assert!(
            wake_at.is_none_or(|at| at > committer.member.now),
            "at rest"
        );
        committer.answer(&request, code);
        let ended = committer.outcomes();
        assert!(!ended.is_empty());
        assert_eq!(
            (ended[0].id, ended[0].result.is_ok()),
            (before, code == ErrorCode::None)
        );
        assert!(
            committer.next_request().is_none(),
            "{after:?} is a member's"
        );
        assert!(committer.member.try_next().is_some(), "the join");
    }
}

#[test]
fn a_join_waits_no_longer_than_it_is_told_for_commits_from_before() {
    let mut committer = Committer::outside(false);
    let before = committer.commit(0, 5, 600);
    committer.member.subscribe(&[TOPIC]);
    committer
        .commits
        .end_outside_by(committer.member.now + Duration::from_secs(3));
    let _silent = committer.next_request().expect("the former one");
    committer.member.pass(Duration::from_secs(4));
    assert!(committer.next_request().is_none());
    let ended = committer.outcomes();
    assert!(!ended.is_empty());
    assert_eq!(ended[0].id, before);
    assert!(matches!(ended[0].result, Err(CommitError::TimedOut { .. })));
    committer.member.work();
    assert!(committer.member.try_next().is_some(), "the join");
}

#[test]
fn an_automatic_commit_that_is_left_out_is_due_an_interval_later() {
    let mut committer = Committer::new();
    let made = |committer: &mut Committer| {
        let (now, membership) = (committer.member.now, &mut committer.member.membership);
        let finished = || offsets(&[(0, 5)]);
        committer
            .commits
            .commit_automatically(now, membership, finished)
    };
    assert_eq!(made(&mut committer), None);
    committer.member.pass(Duration::from_secs(6));
    committer.commits.skip_automatic(committer.member.now);
    assert_eq!(made(&mut committer), None);
    committer.member.pass(Duration::from_secs(6));
    assert!(made(&mut committer).is_some());
}

/// A commit that is made after a handshake failed waits for the next one.
#[test]
fn a_handshake_that_fails_ends_the_commits_that_were_made_before_it() {
    let mut committer = Committer::new();
    let early = committer.commit(0, 5, 60);
    let request = committer.next_request().expect("it leaves");
    committer.member.pass(Duration::from_secs(1));
    let failed_at = committer.member.now;
    committer.member.pass(Duration::from_secs(1));
    let late = committer.commit(0, 6, 60);
    let failure = SecurityError {
        problem: SecurityProblem::Authentication,
        address: "broker:9092".into(),
        cause: "wrong password".into(),
    };
    let (now, membership) = (committer.member.now, &mut committer.member.membership);
    let refusal = |began| (began <= failed_at).then(|| failure.clone());
    committer.commits.end_locked_out(now, membership, refusal);
    let ended = committer.commits.next_outcome().expect("one has ended");
    assert_eq!(
        (ended.id, ended.result),
        (early, Err(CommitError::Security(failure.clone())))
    );
    assert_eq!(committer.commits.next_outcome(), None);
    // The request under way may have arrived or not: the next one comes after it.
    committer.answer(&request, ErrorCode::None);
    let request = committer.next_request().expect("the other leaves");
    committer.answer(&request, ErrorCode::None);
    let ended = committer.commits.next_outcome().expect("the other too");
    assert_eq!((ended.id, ended.result), (late, Ok(())));
}

struct Committer {
    member: TestMember,
    commits: CommitQueue,
}

impl Committer {
    /// A consumer that is not subscribed, of a group whose coordinator is known.
    fn outside(is_consumer: bool) -> Self {
        let mut member = match is_consumer {
            true => TestMember::new(GroupProtocol::Consumer, &[], |_| {}),
            false => TestMember::new(GroupProtocol::Classic, &["range"], |_| {}),
        };
        assert!(member.membership.coordinator(member.now).is_none());
        member.work();
        let commits = CommitQueue::new(member.membership.config(), 1);
        Self { member, commits }
    }

    /// A member that owns partitions 0 to 3 as of generation 1.
    fn new() -> Self {
        let mut member = TestMember::classic(&["cooperative-sticky"], |_| {});
        member.join_alone(1);
        let assigned = member.next_change();
        member.done(&assigned);
        let commits = CommitQueue::new(member.membership.config(), 1);
        Self { member, commits }
    }

    fn commit_noted(&mut self, partition: i32, offset: i64, metadata: &str) -> CommitId {
        self.commit_noted_within(partition, offset, metadata, 60)
    }

    fn commit_noted_within(
        &mut self,
        partition: i32,
        offset: i64,
        metadata: &str,
        within: u64,
    ) -> CommitId {
        let mut noted = offsets(&[(partition, offset)]);
        for one in noted.values_mut() {
            one.metadata = metadata.into();
        }
        self.commit_all(noted, within)
    }

    fn commit(&mut self, partition: i32, offset: i64, within: u64) -> CommitId {
        self.commit_all(offsets(&[(partition, offset)]), within)
    }

    fn commit_all(&mut self, offsets: Offsets, within: u64) -> CommitId {
        let deadline = self.member.now + Duration::from_secs(within);
        let (now, membership) = (self.member.now, &mut self.member.membership);
        self.commits
            .commit(now, membership, offsets, deadline)
            .unwrap()
    }

    fn next_request(&mut self) -> Option<CommitCall> {
        self.next_request_in(&cluster())
    }

    fn next_request_in(&mut self, cluster: &Cluster) -> Option<CommitCall> {
        let now = self.member.now;
        self.commits
            .next_request(now, &mut self.member.membership, cluster)
    }

    /// Refuses each try until the commit ends, at most `most` times; returns how many tries there were.
    fn refuse_in(&mut self, cluster: &Cluster, code: ErrorCode, most: u32) -> u32 {
        for tries in 0..most {
            self.member.pass(Duration::from_secs(2));
            let Some(request) = self.next_request_in(cluster) else {
                return tries;
            };
            self.answer(&request, code);
        }
        most
    }

    /// After any pause between tries.
    fn next_try(&mut self) -> CommitCall {
        self.member.pass(Duration::from_secs(2));
        self.next_request().expect("another try")
    }

    /// The answer of a request is lost with its connection.
    fn lose_connection(&mut self, request: &CommitCall) {
        let (now, membership) = (self.member.now, &mut self.member.membership);
        let failure = RequestFailure::Retriable("connection lost".into());
        self.commits.failed(now, membership, request.id, failure);
        self.member.work();
    }

    fn answer(&mut self, to: &CommitCall, code: ErrorCode) {
        self.answer_each(to, |_| code);
    }

    fn answer_each(
        &mut self,
        to: &CommitCall,
        code: impl Fn(&OffsetCommitRequestPartition) -> ErrorCode,
    ) {
        let topic = &to.request.topics[0];
        let partitions = topic.partitions.iter();
        let partitions = partitions.map(|partition| OffsetCommitResponsePartition {
            partition_index: partition.partition_index,
            error_code: code(partition).code(),
        });
        let response = OffsetCommitResponse {
            topics: vec![OffsetCommitResponseTopic {
                name: topic.name.clone(),
                partitions: partitions.collect(),
                ..OffsetCommitResponseTopic::default()
            }],
            ..OffsetCommitResponse::default()
        };
        let (now, membership) = (self.member.now, &mut self.member.membership);
        self.commits.answered(now, membership, to.id, &response);
        self.member.work();
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
    let mut committer = Committer::new();
    let first = committer.commit(0, 10, 60);
    let second = committer.commit(1, 5, 60);
    let third = committer.commit(0, 12, 60);
    let request = committer.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 12), (1, 5)]);
    assert!(committer.next_request().is_none(), "one at a time");
    committer.answer(&request, ErrorCode::None);
    let ids: Vec<CommitId> = committer.outcomes().iter().map(|one| one.id).collect();
    assert_eq!(ids, [first, second, third]);
}

/// An application commits every record of a backlog, and asks for no outcome.
#[test]
fn commits_that_nobody_hears_of_take_the_place_of_earlier_ones() {
    let mut committer = Committer::new();
    let mut last = Vec::new();
    for offset in 0..1_000 {
        let partition = offset % 3;
        let id = committer.commit(partition, i64::from(offset), 60);
        committer.commits.note_unheard(id);
        last.push(id);
        assert!(committer.commits.waiting() <= 4, "one each, and the oldest");
    }
    let request = committer.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 999), (1, 997), (2, 998)]);
    let later = committer.commit(0, 5, 60);
    committer.commits.note_unheard(later);
    assert_eq!(
        committer.commits.waiting(),
        5,
        "what is under way keeps its place"
    );
    committer.answer(&request, ErrorCode::None);
    let ids: Vec<CommitId> = committer.outcomes().iter().map(|one| one.id).collect();
    assert_eq!(ids, [&last[..1], &last[997..]].concat());
    let request = committer.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 5)]);
}

/// Its partitions go once it has been made, and not before.
#[test]
fn a_commit_that_something_waits_for_keeps_its_place() {
    let mut committer = Committer::new();
    let first = committer.commit(0, 10, 60);
    committer.commits.note_unheard(first);
    let limit = committer.member.now + Duration::from_secs(30);
    committer.commits.end_by(limit);
    let second = committer.commit(0, 11, 60);
    committer.commits.note_unheard(second);
    let heard = committer.commit(1, 1, 60);
    let unheard = committer.commit(1, 2, 60);
    committer.commits.note_unheard(unheard);
    assert!(committer.commits.waits_up_to(first));
    let request = committer.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 11), (1, 2)]);
    committer.answer(&request, ErrorCode::None);
    let ids: Vec<CommitId> = committer.outcomes().iter().map(|one| one.id).collect();
    assert_eq!(ids, [first, second, heard, unheard]);
}

/// The time of one whose place was taken passes without waking anybody again and again.
#[test]
fn a_commit_that_was_left_out_has_no_time_limit() {
    let mut committer = Committer::new();
    committer.commit(1, 1, 60);
    let first = committer.commit(0, 10, 1);
    committer.commits.note_unheard(first);
    let second = committer.commit(0, 11, 60);
    committer.commits.note_unheard(second);
    let _silent = committer.next_request().unwrap();
    committer.member.pass(Duration::from_secs(2));
    assert!(committer.next_request().is_none());
    assert!(committer.outcomes().is_empty());
    let wake_at = committer.commits.wake_at().expect("its own limit");
    assert!(wake_at > committer.member.now);
}

/// Otherwise each would take the place of the one before, and none would ever end.
#[test]
fn the_oldest_that_waits_tells_of_a_coordinator_that_does_not_answer() {
    let mut committer = Committer::new();
    let (now, membership) = (committer.member.now, &mut committer.member.membership);
    let coordinator = membership.coordinator(now).expect("it is known");
    membership.coordinator_lost(now, coordinator);
    let oldest = committer.commit(0, 0, 2);
    committer.commits.note_unheard(oldest);
    let mut ended = Vec::new();
    for offset in 1..=25 {
        committer.member.now += Duration::from_millis(100);
        assert!(
            committer.next_request().is_none(),
            "there is no coordinator"
        );
        let id = committer.commit(0, offset, 2);
        committer.commits.note_unheard(id);
        ended.extend(committer.outcomes());
    }
    assert!(!ended.is_empty());
    let is_late = matches!(ended[0].result, Err(CommitError::TimedOut { .. }));
    assert!(is_late && ended[0].id == oldest);
}

/// What has ended is forgotten, whichever partitions it was of.
#[test]
fn commits_that_time_out_leave_nothing_behind() {
    let mut committer = Committer::new();
    for partition in 0..4 {
        let id = committer.commit(partition, 1, 1);
        committer.commits.note_unheard(id);
    }
    assert_eq!(committer.commits.remembered(), 4);
    committer.member.pass(Duration::from_secs(2));
    assert!(committer.next_request().is_none());
    assert_eq!(committer.outcomes().len(), 4);
    assert_eq!(committer.commits.remembered(), 0);
}

#[test]
fn metadata_that_is_too_long_is_refused_of_the_commits_that_have_it() {
    let mut committer = Committer::new();
    let short = committer.commit_noted(0, 1, "");
    let long = committer.commit_noted(0, 2, &"x".repeat(5_000));
    let middle = committer.commit_noted(0, 3, "note");
    let longest = committer.commit_noted(0, 4, &"x".repeat(6_000));
    let other = committer.commit_noted(1, 9, "");
    let mut ends = Vec::new();
    for expected in [vec![(0, 4), (1, 9)], vec![(0, 3)]] {
        let request = committer.next_request().unwrap();
        assert_eq!(sent(&request), expected);
        committer.answer_each(&request, |partition| {
            match partition.committed_metadata.as_deref().unwrap_or_default() {
                metadata if metadata.len() > 4_096 => ErrorCode::OffsetMetadataTooLarge,
                _ => ErrorCode::None,
            }
        });
        ends.extend(committer.outcomes());
    }
    assert!(committer.next_request().is_none());
    let refused: Vec<_> = ends.iter().filter(|one| one.result.is_err()).collect();
    assert_eq!(
        refused.iter().map(|one| one.id).collect::<Vec<_>>(),
        [longest]
    );
    let mut made: Vec<_> = ends
        .iter()
        .filter(|one| one.result.is_ok())
        .map(|one| one.id)
        .collect();
    made.sort_unstable();
    assert_eq!(
        made,
        [short, long, middle, other],
        "the newest stands for all before it"
    );
}

/// The coordinator could refuse the later one for its metadata, and then nothing would be committed.
#[test]
fn a_commit_with_long_metadata_takes_no_place() {
    let mut committer = Committer::new();
    for (number, note) in ["", "", "note", &"x".repeat(5_000)].into_iter().enumerate() {
        let id = committer.commit_noted(0, 1 + number as i64, note);
        committer.commits.note_unheard(id);
    }
    let asked: Vec<_> = std::iter::from_fn(|| {
        let request = committer.next_request()?;
        committer.answer(
            &request,
            match request.request.topics[0].partitions[0].committed_offset {
                4 => ErrorCode::OffsetMetadataTooLarge,
                _ => ErrorCode::None,
            },
        );
        Some(sent(&request))
    })
    .collect();
    assert_eq!(asked, [vec![(0, 4)], vec![(0, 3)]]);
}

/// A later commit may have arrived though its answer is lost; an earlier one with more patience must not undo it.
#[test]
fn a_commit_never_goes_back_behind_one_that_timed_out() {
    let mut committer = Committer::new();
    let patient = committer.commit(0, 10, 60);
    let hasty = committer.commit(0, 12, 1);
    let request = committer.next_request().unwrap();
    committer.lose_connection(&request);

    let request = committer.next_try();
    let outcomes = committer.outcomes();
    assert_eq!(outcomes[0].id, hasty);
    assert!(matches!(
        outcomes[0].result,
        Err(CommitError::TimedOut { .. })
    ));
    assert_eq!(sent(&request), [(0, 12)]);
    committer.answer(&request, ErrorCode::None);
    let outcomes = committer.outcomes();
    assert_eq!(outcomes[0].id, patient);
    assert_eq!(outcomes[0].result, Ok(()));
}

/// Also where what came after that has too much metadata, in time or not.
#[test]
fn a_commit_does_not_go_back_behind_one_that_timed_out_for_too_long_metadata() {
    for within in [60, 3] {
        let mut committer = Committer::new();
        let patient = committer.commit(0, 10, 60);
        committer.commit(0, 12, 1);
        let mut request = committer.next_request().unwrap();
        for (expected, is_noted) in [(12, false), (12, true), (14, false)] {
            assert_eq!(sent(&request), [(0, expected)]);
            if is_noted {
                committer.commit_noted_within(0, 14, &"x".repeat(5_000), within);
            }
            committer.lose_connection(&request);
            request = committer.next_try();
        }
        assert_eq!(sent(&request), [(0, 14)]);
        committer.answer(&request, ErrorCode::OffsetMetadataTooLarge);
        let request = committer.next_request().unwrap();
        assert_eq!(sent(&request), [(0, 12)], "within {within} s");
        committer.answer(&request, ErrorCode::None);
        let last = committer.outcomes().pop().unwrap();
        assert_eq!((last.id, last.result), (patient, Ok(())));
    }
}

#[test]
fn a_commit_during_a_rebalance_is_made_by_the_next_generation() {
    let mut committer = Committer::new();
    committer.commit(0, 10, 60);
    let request = committer.next_request().unwrap();
    assert_eq!(request.request.generation_id_or_member_epoch, 1);
    committer.answer(&request, ErrorCode::RebalanceInProgress);
    assert!(committer.outcomes().is_empty());
    committer.member.join_alone(2);
    let request = committer.next_try();
    assert_eq!(request.request.generation_id_or_member_epoch, 2);
    committer.answer(&request, ErrorCode::None);
    assert_eq!(committer.outcomes()[0].result, Ok(()));
}

/// The answer to a commit may overtake that to the join, after which the coordinator knows the next generation only.
#[test]
fn a_commit_whose_answer_overtakes_that_of_the_join_costs_nothing() {
    let mut committer = Committer::new();
    committer.commit(0, 10, 60);
    let request = committer.next_request().unwrap();
    committer.member.rebalance();
    let (join, asked) = committer.member.next_join();
    committer.answer(&request, ErrorCode::IllegalGeneration);
    assert!(committer.member.told.is_empty(), "nothing is lost");
    assert!(committer.member.try_next().is_none(), "one join is enough");
    assert!(committer.outcomes().is_empty());
    committer.member.finish_join(&join, &asked, 2);
    let request = committer.next_try();
    assert_eq!(request.request.generation_id_or_member_epoch, 2);
    committer.answer(&request, ErrorCode::None);
    assert_eq!(committer.outcomes()[0].result, Ok(()));
}

/// Its response has that code, too, and says so once.
#[test]
fn a_commit_of_a_member_that_was_thrown_out_while_it_joins_loses_its_partitions_once() {
    let mut committer = Committer::new();
    committer.commit(0, 10, 60);
    let request = committer.next_request().unwrap();
    committer.member.rebalance();
    let (join, _) = committer.member.next_join();
    committer.answer(&request, ErrorCode::UnknownMemberId);
    let lost = committer.member.next_change();
    assert!(matches!(lost.kind, ChangeKind::Lost(_)));
    assert!(committer.member.try_next().is_none(), "one join is enough");
    committer.member.done(&lost);
    let refusal = JoinGroupResponse {
        error_code: ErrorCode::UnknownMemberId.code(),
        ..JoinGroupResponse::default()
    };
    committer
        .member
        .answer(&join, GroupResponse::JoinGroup(refusal));
    assert!(committer.member.told.is_empty());
    committer.member.pass(Duration::from_secs(2));
    assert_eq!(committer.member.next_join().1.member_id, "");
}

#[test]
fn a_commit_of_a_member_that_was_thrown_out_is_fenced() {
    let mut committer = Committer::new();
    committer.commit(0, 10, 60);
    let request = committer.next_request().unwrap();
    committer.answer(&request, ErrorCode::UnknownMemberId);
    let lost = committer.member.next_change();
    assert!(matches!(lost.kind, ChangeKind::Lost(_)));
    committer.member.done(&lost);
    committer.member.join_alone(5);
    committer.member.pass(Duration::from_secs(2));
    assert!(committer.next_request().is_none());
    let Err(CommitError::Fenced { partitions, .. }) = &committer.outcomes()[0].result else {
        panic!("fenced");
    };
    assert_eq!(partitions.len(), 1);
}

/// The consumer may learn of a loss later than its membership: its positions must not become those of the new owner.
#[test]
fn positions_of_partitions_that_went_away_are_not_committed() {
    let mut committer = Committer::new();
    let deadline = committer.member.now + Duration::from_secs(60);
    let (now, membership) = (committer.member.now, &mut committer.member.membership);
    let positions = offsets(&[(0, 10), (9, 3)]);
    committer
        .commits
        .commit_positions(now, membership, positions, deadline)
        .unwrap();
    let request = committer.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 10)]);
    committer.answer(&request, ErrorCode::None);
    let Err(CommitError::Fenced { partitions, .. }) = &committer.outcomes()[0].result else {
        panic!("fenced");
    };
    assert_eq!(partitions[0].partition, 9);
}

#[test]
fn automatic_commits_are_of_owned_partitions_and_made_when_it_is_time() {
    let mut committer = Committer::new();
    let interval = committer.member.membership.config().auto_commit_interval;
    let finished = || offsets(&[(0, 10), (9, 3)]);
    let (commits, member) = (&mut committer.commits, &mut committer.member);
    assert_eq!(
        commits.commit_automatically(member.now, &mut member.membership, finished),
        None
    );
    assert_eq!(commits.wake_at(), Some(member.now + interval));
    member.pass(interval);
    let made = commits.commit_automatically(member.now, &mut member.membership, finished);
    assert!(made.is_some());
    let request = committer.next_request().unwrap();
    assert_eq!(sent(&request), [(0, 10)]);
}

#[test]
fn a_queue_at_its_end_does_not_wake_for_automatic_commits() {
    let mut committer = Committer::new();
    let interval = committer.member.membership.config().auto_commit_interval;
    let finished = || offsets(&[(0, 10)]);
    let (commits, member) = (&mut committer.commits, &mut committer.member);
    commits.commit_automatically(member.now, &mut member.membership, finished);
    assert_eq!(commits.wake_at(), Some(member.now + interval));
    commits.end_automatic();
    assert_eq!(commits.wake_at(), None);
    member.pass(interval);
    let made = commits.commit_automatically(member.now, &mut member.membership, finished);
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
        let mut committer = Committer::new();
        let going = committer.commit(0, 5, 60);
        committer.commits.note_awaited(going);
        assert_eq!(committer.refuse_in(&without_topic(), code, 9), 1);
        assert_eq!(committer.commits.take_doubted(), [TOPIC.into()]);
        let ended = committer.outcomes();
        let error = ended[0].result.clone().expect_err("refused");
        assert!(error.is_unknown_topic() && error.to_string().contains(TOPIC));
        assert_eq!(ended[0].unless_gone(), Ok(()));
        assert_eq!((ended[0].gone.len(), ended[0].committed().count()), (1, 0));
        // The next commit does not wait for the pause.
        committer.commit(1, 5, 60);
        assert!(committer.next_request().is_some());
    }
}

/// Brokers may lag behind the creation of a topic.
#[test]
fn a_commit_that_is_asked_for_needs_several_refusals_and_the_word_of_metadata() {
    for code in UNKNOWN {
        let mut committer = Committer::new();
        committer.commit(0, 5, 600);
        assert_eq!(committer.refuse_in(&without_topic(), code, 9), 3);
        assert!(committer.outcomes()[0].result.is_err());
        committer.commit(0, 5, 600);
        assert_eq!(committer.refuse_in(&cluster(), code, 10), 10);
        let request = committer.next_try();
        committer.answer(&request, ErrorCode::None);
        assert_eq!(committer.outcomes()[0].result, Ok(()));
    }
}

#[test]
fn what_goes_waits_a_little_where_metadata_has_the_topic() {
    for code in UNKNOWN {
        let mut committer = Committer::new();
        let going = committer.commit(0, 5, 600);
        committer.commits.note_awaited(going);
        assert_eq!(committer.refuse_in(&cluster(), code, 20), 5);
        let ended = committer.outcomes();
        assert!(ended[0].unless_gone().is_err(), "it may be there");
        let going = committer.commit(0, 5, 600);
        committer.commits.note_awaited(going);
        assert_eq!(committer.refuse_in(&cluster(), code, 4), 4);
        let request = committer.next_try();
        committer.answer(&request, ErrorCode::None);
        assert_eq!(committer.outcomes()[0].result, Ok(()));
    }
}

/// Of one commit some partitions may be there and others not.
#[test]
fn a_topic_that_is_gone_does_not_hide_what_is_committed_nor_what_else_fails() {
    for (code, is_committed) in [
        (ErrorCode::None, true),
        (ErrorCode::OffsetMetadataTooLarge, false),
    ] {
        let mut committer = Committer::new();
        let (now, membership) = (committer.member.now, &mut committer.member.membership);
        let deadline = now + Duration::from_secs(60);
        let both = offsets(&[(0, 5), (1, 6)]);
        let id = committer.commits.commit(now, membership, both, deadline);
        committer.commits.note_awaited(id.expect("taken"));
        let request = committer.next_request().expect("both");
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
        let (now, membership) = (committer.member.now, &mut committer.member.membership);
        committer
            .commits
            .answered(now, membership, request.id, &response);
        assert!(committer.next_request_in(&without_topic()).is_none());
        let ended = committer.outcomes();
        assert_eq!(ended[0].unless_gone().is_ok(), is_committed);
        assert_eq!(ended[0].committed().count(), usize::from(is_committed));
    }
}

/// The topic was deleted and created again before the coordinator has the offset.
#[test]
fn a_commit_goes_on_naming_the_topic_in_which_its_offset_was_reached() {
    let again = Uuid([9; 16]);
    for is_stamped in [false, true] {
        let mut committer = Committer::new();
        let (now, membership) = (committer.member.now, &mut committer.member.membership);
        let mut old = offsets(&[(0, 5)]);
        if is_stamped {
            old.values_mut().for_each(|one| one.topic_id = TOPIC_ID);
        }
        let deadline = now + Duration::from_secs(60);
        let old = committer
            .commits
            .commit(now, membership, old, deadline)
            .expect("taken");
        let request = committer.next_request().expect("it leaves");
        assert_eq!(request.request.topics[0].topic_id, TOPIC_ID);
        committer.answer(&request, ErrorCode::UnknownTopicId);
        // A position in the new topic does not replace that in the old one, nor the other way round.
        let mut new = offsets(&[(0, 1)]);
        new.values_mut().for_each(|one| one.topic_id = again);
        let (now, membership) = (committer.member.now, &mut committer.member.membership);
        let new = committer
            .commits
            .commit(now, membership, new, deadline)
            .expect("taken");
        let metadata = cluster_with(again);
        let mut ended = Vec::new();
        for _ in 0..3 {
            committer.member.pass(Duration::from_secs(2));
            let Some(request) = committer.next_request_in(&metadata) else {
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
            let (now, membership) = (committer.member.now, &mut committer.member.membership);
            committer
                .commits
                .answered(now, membership, request.id, &response);
            ended.extend(committer.outcomes());
        }
        committer.next_request_in(&metadata);
        ended.extend(committer.outcomes());
        ended.sort_by_key(|outcome| outcome.id);
        assert_eq!(ended.len(), 2);
        assert_eq!((ended[0].id, ended[0].gone.len()), (old, 1));
        assert_eq!((ended[1].id, &ended[1].result), (new, &Ok(())));
    }
}

/// Callers tell a group that is formed anew from a coordinator that is away; what an earlier commit met is no cause.
#[test]
fn a_commit_that_timed_out_says_what_the_coordinator_answered_to_it() {
    let mut committer = Committer::new();
    for code in [Some(ErrorCode::CoordinatorLoadInProgress), None] {
        committer.commit(0, 5, 1);
        if let Some(code) = code {
            let request = committer.next_request().expect("the first try");
            committer.answer(&request, code);
        }
        committer.member.pass(Duration::from_secs(2));
        assert!(committer.next_request().is_none());
        let ended = committer.commits.next_outcome().expect("an outcome");
        let Err(CommitError::TimedOut { code: told, .. }) = ended.result else {
            panic!("{:?}", ended.result);
        };
        assert_eq!(told, code);
    }
}
