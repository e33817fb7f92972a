//! What is finished, and may be committed.

use super::*;
use crate::group::CommitId;

fn finished(buffer: &FetchBuffer) -> Vec<(i32, i64)> {
    let mut finished: Vec<_> = buffer
        .finished()
        .into_iter()
        .map(|(partition, position)| (partition.partition, position.offset))
        .collect();
    finished.sort_unstable();
    finished
}

#[test]
fn the_latest_record_is_unfinished_until_the_next_call() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 2));
    for expected in [0, 1, 2] {
        buffer.next_record().expect("no error");
        assert_eq!(finished(&buffer), [(0, expected)]);
    }
    assert_eq!(buffer.consumed()[0].1.leader_epoch, 3);
}

#[test]
fn a_batch_call_leaves_every_partition_where_it_stood_before() {
    let mut buffer = assigned(2);
    for target in take_targets(&mut buffer) {
        answer(&mut buffer, &target, wire(0, 3));
    }
    assert_eq!(buffer.take(4).expect("no error").len(), 2);
    assert_eq!(finished(&buffer), [(0, 0), (1, 0)]);
    assert_eq!(buffer.consumed().len(), 2);
    buffer.finish_all();
    assert_eq!(finished(&buffer), [(0, 3), (1, 1)]);
}

#[test]
fn a_seek_finishes_nothing_that_is_in_hand() {
    for (offset, before) in [(0, 0), (7, 5), (40, 5)] {
        for is_assigned in [false, true] {
            let mut buffer = five_finished_and_five_in_hand();
            let position = FetchPosition::at(offset);
            match is_assigned {
                true => buffer.assign(vec![(partition(0), Some(position))]),
                false => buffer
                    .seek(&partition(0), position)
                    .expect("it is assigned"),
            }
            assert_eq!(finished(&buffer), [(0, before)], "sought {offset}");
            buffer.finish_all();
            assert_eq!(finished(&buffer), [(0, offset)]);
        }
    }
}

#[test]
fn a_partition_that_comes_back_finishes_nothing_that_is_in_hand() {
    let position = Some(FetchPosition::at(40));
    let mut buffer = five_finished_and_five_in_hand();
    buffer.assign(Vec::new());
    buffer.assign(vec![(partition(0), position)]);
    assert_eq!(finished(&buffer), [(0, 5)]);
    buffer.finish_all();
    assert_eq!(finished(&buffer), [(0, 40)]);

    // Another cursor that gets the same id has nothing to do with it.
    let mut buffer = five_finished_and_five_in_hand();
    buffer.assign(vec![(partition(1), position)]);
    assert_eq!(finished(&buffer), [(1, 40)]);
    buffer.assign(vec![(partition(0), None)]);
    buffer
        .seek_to(&partition(0), StartAt::Latest)
        .expect("it is assigned");
    assert_eq!(finished(&buffer), [(0, 5)]);

    // Others may have committed meanwhile, whatever was handed out here.
    let mut buffer = five_finished_and_five_in_hand();
    buffer.assign(Vec::new());
    buffer.forget_unfinished(&[partition(0)]);
    buffer.assign(vec![(partition(0), position)]);
    assert_eq!(finished(&buffer), [(0, 40)]);
}

fn to_commit(buffer: &FetchBuffer) -> Option<i64> {
    let positions = buffer.to_commit();
    positions.first().map(|(_, position)| position.offset)
}

#[test]
fn a_position_that_was_looked_up_is_not_committed_over_what_the_application_has_committed() {
    for is_found_before in [true, false] {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 20);
        buffer.start_from_committed();
        buffer.assign(vec![(partition(0), None)]);
        let look_up = buffer
            .take_look_ups(Instant::now(), |_, _| Some(LookUpSource::Leader(1)))
            .remove(0);
        if is_found_before {
            buffer.set_position(&look_up, FetchPosition::at(90));
            assert_eq!(to_commit(&buffer), Some(90), "nothing else is known");
        }
        buffer.settle(&partition(0), 10);
        buffer.set_position(&look_up, FetchPosition::at(90));
        assert_eq!(to_commit(&buffer), None);
        buffer.finish_all();
        assert_eq!(to_commit(&buffer), None);
        buffer
            .seek(&partition(0), FetchPosition::at(90))
            .expect("it is assigned");
        assert_eq!(to_commit(&buffer), Some(90), "sought afterwards");
    }
}

#[test]
fn what_the_application_commits_counts_until_it_finishes_more() {
    let mut buffer = five_finished_and_five_in_hand();
    buffer.settle(&partition(0), 2);
    assert_eq!(to_commit(&buffer), None, "back, at its wish");
    buffer.finish_all();
    assert_eq!(to_commit(&buffer), Some(10));

    let mut buffer = five_finished_and_five_in_hand();
    buffer.settle(&partition(0), 7);
    assert_eq!(finished(&buffer), [(0, 7)], "it says how far it is");
    buffer
        .seek(&partition(0), FetchPosition::at(40))
        .expect("it is assigned");
    assert_eq!(to_commit(&buffer), Some(7));

    let mut buffer = five_finished_and_five_in_hand();
    buffer.finish_all();
    buffer.settle(&partition(0), 2);
    assert_eq!(to_commit(&buffer), None);
    truncate(&mut buffer, -1, -1);
    let later = Instant::now() + Duration::from_secs(120);
    let look_up = buffer
        .take_look_ups(later, |_, _| Some(LookUpSource::Leader(1)))
        .remove(0);
    buffer.set_position(&look_up, FetchPosition::at(500));
    assert_eq!(to_commit(&buffer), None, "nothing was read");
    buffer.unsettle(&partition(0), 2);
    assert_eq!(to_commit(&buffer), Some(500), "the commit was not taken");
}

/// The log of partition 0 turns out to end at `end_offset`, or to have nothing in common with what was read.
fn truncate(buffer: &mut FetchBuffer, leader_epoch: i32, end_offset: i64) {
    let now = Instant::now() + Duration::from_secs(60);
    let question = buffer.take_validations(now, |_| Some((1, 9))).remove(0);
    let end = EpochEnd {
        leader_epoch,
        end_offset,
    };
    buffer.validated(&question, Some(end), now);
}

fn five_finished_and_five_in_hand() -> FetchBuffer {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 20));
    buffer.take(5).expect("no error");
    buffer.take(5).expect("no error");
    assert_eq!(finished(&buffer), [(0, 5)]);
    buffer
}

#[test]
fn a_truncated_log_finishes_nothing_that_is_in_hand() {
    for (end_offset, expected) in [(20, 5), (8, 5), (3, 3)] {
        let mut buffer = five_finished_and_five_in_hand();
        truncate(&mut buffer, 2, end_offset);
        assert_eq!(finished(&buffer), [(0, expected)], "ends at {end_offset}");
    }
}

#[test]
fn a_position_by_policy_finishes_nothing_that_is_in_hand() {
    let mut buffer = five_finished_and_five_in_hand();
    truncate(&mut buffer, -1, -1);
    assert_eq!(finished(&buffer), [(0, 5)]);
    let later = Instant::now() + Duration::from_secs(120);
    let look_up = buffer
        .take_look_ups(later, |_, _| Some(LookUpSource::Leader(1)))
        .remove(0);
    buffer.set_position(&look_up, FetchPosition::at(500));
    assert_eq!(finished(&buffer), [(0, 5)]);
    buffer.finish_all();
    assert_eq!(finished(&buffer), [(0, 500)]);
}

fn uncommitted(buffer: &FetchBuffer) -> Vec<i32> {
    let open = buffer.uncommitted(buffer.consumed());
    let mut numbers: Vec<i32> = open.iter().map(|(one, _)| one.partition).collect();
    numbers.sort_unstable();
    numbers
}

fn queued(buffer: &mut FetchBuffer, number: i32, id: u64) {
    buffer.note_asked([&partition(number)]);
    buffer.note_queued([&partition(number)], Some(CommitId(id)));
}

#[test]
fn what_the_coordinator_has_is_not_committed_again() {
    let mut buffer = assigned(3);
    buffer.note_found(&partition(1), 0);
    queued(&mut buffer, 2, 1);
    assert_eq!(uncommitted(&buffer), [0, 2]);
    buffer.note_ended(&partition(2), CommitId(1), Some(0));
    assert_eq!(uncommitted(&buffer), [0]);
}

/// A commit may have arrived or not: the offset committed before counts no longer, whatever comes of it.
#[test]
fn nothing_is_known_of_a_partition_with_a_commit_under_way() {
    for outcome in [Some(10), None] {
        let mut buffer = assigned(1);
        buffer.note_found(&partition(0), 0);
        buffer.note_asked([&partition(0)]);
        assert_eq!(uncommitted(&buffer), [0], "asked for");
        buffer.note_queued([&partition(0)], Some(CommitId(1)));
        buffer.note_found(&partition(0), 0);
        assert_eq!(uncommitted(&buffer), [0], "queued");
        buffer.note_ended(&partition(0), CommitId(1), outcome);
        assert_eq!(uncommitted(&buffer), [0], "ended with {outcome:?}");
    }
}

/// Commits may end in another order, and one may be on its way to the queue when an earlier one ends.
#[test]
fn only_the_latest_commit_says_what_the_coordinator_has() {
    let mut buffer = assigned(2);
    queued(&mut buffer, 0, 1);
    queued(&mut buffer, 0, 2);
    buffer.note_ended(&partition(0), CommitId(2), Some(10));
    buffer.note_ended(&partition(0), CommitId(1), Some(0));
    queued(&mut buffer, 1, 3);
    buffer.note_asked([&partition(1)]);
    buffer.note_ended(&partition(1), CommitId(3), Some(0));
    assert_eq!(uncommitted(&buffer), [0, 1]);
    // The commit is not accepted, so the one before it is the latest.
    queued(&mut buffer, 1, 4);
    buffer.note_queued([&partition(1)], None);
    buffer.note_ended(&partition(1), CommitId(4), Some(0));
    assert_eq!(uncommitted(&buffer), [0]);
}

#[test]
fn a_committed_offset_is_looked_up_when_no_commit_of_it_is_under_way() {
    let mut buffer = assigned(1);
    buffer.start_from_committed();
    buffer.note_asked([&partition(0)]);
    buffer.assign(Vec::new());
    buffer.assign(vec![(partition(0), None), (partition(1), None)]);
    let look_ups = |buffer: &mut FetchBuffer| -> Vec<i32> {
        let look_ups = buffer.take_look_ups(Instant::now(), |_, _| Some(LookUpSource::Leader(1)));
        let numbers = look_ups.iter().map(|one| one.partition.partition);
        numbers.collect()
    };
    assert_eq!(look_ups(&mut buffer), [1]);
    buffer.note_queued([&partition(0)], Some(CommitId(1)));
    assert!(look_ups(&mut buffer).is_empty());
    buffer.note_ended(&partition(0), CommitId(1), None);
    assert_eq!(look_ups(&mut buffer), [0]);
}

#[test]
fn a_commit_outlives_the_assignment_it_was_made_in() {
    let mut buffer = assigned(2);
    queued(&mut buffer, 0, 1);
    buffer.note_found(&partition(1), 0);
    buffer.assign(Vec::new());
    let again = (0..2).map(|number| (partition(number), Some(FetchPosition::at(0))));
    buffer.assign(again.collect());
    assert_eq!(uncommitted(&buffer), [0, 1], "others may have committed");
    buffer.note_found(&partition(0), 0);
    assert_eq!(uncommitted(&buffer), [0, 1], "it was looked up before");
    buffer.note_ended(&partition(0), CommitId(1), Some(0));
    assert_eq!(uncommitted(&buffer), [1]);
}
