//! The fetch buffer driven as application and network drive it, on data built by the batch builder.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_records::{BatchBuilder, Compression, ProducerFields, ReadLimits, batches};

use super::*;
use crate::config::{AutoOffsetReset, IsolationLevel};
use crate::fetch::cursor::{CursorState, StartAt};
use crate::fetch::open::OpenJob;
use crate::fetch::position::FetchPosition;
use crate::fetch::response_memory::ResponseMemory;

fn partition(number: i32) -> TopicPartition {
    TopicPartition {
        topic: "t".into(),
        partition: number,
    }
}

fn assigned(partitions: i32) -> FetchBuffer {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 20);
    buffer.assign(
        (0..partitions)
            .map(|number| (partition(number), Some(FetchPosition::at(0))))
            .collect(),
    );
    buffer
}

/// A wire batch of `count` records at `base_offset`, whose values are their offsets.
fn wire(base_offset: i64, count: i64) -> bytes::Bytes {
    let values = base_offset..base_offset + count;
    wire_of(
        base_offset,
        values.map(|offset| offset.to_string().into_bytes()),
    )
}

fn wire_of(base_offset: i64, values: impl Iterator<Item = Vec<u8>>) -> bytes::Bytes {
    let mut builder = BatchBuilder::new(64);
    for value in values {
        builder.append(1_000, None, Some(&value), &[]);
    }
    let sealed = builder
        .seal(Compression::default(), ProducerFields::default())
        .expect("an uncompressed batch seals");
    let raw = batches(sealed.bytes)
        .next()
        .expect("one batch")
        .expect("a whole batch");
    raw.with_position(base_offset, 3)
        .expect("the offset fits")
        .bytes()
        .clone()
}

fn take_targets(buffer: &mut FetchBuffer) -> Vec<FetchTarget> {
    let mut targets = buffer.take_targets(Instant::now(), |_| true);
    targets.sort_by_key(|target| target.partition.partition);
    targets
}

fn job(target: &FetchTarget, records: bytes::Bytes) -> OpenJob {
    OpenJob {
        partition: target.partition.clone(),
        from: target.from,
        response: ResponseMemory::new(records.len()),
        records,
        aborted: Vec::new(),
        isolation: IsolationLevel::ReadUncommitted,
    }
}

/// The network's whole turn for one partition.
fn answer(buffer: &mut FetchBuffer, target: &FetchTarget, records: bytes::Bytes) {
    buffer.landed(std::slice::from_ref(target));
    let job = job(target, records);
    let status = PartitionStatus {
        high_watermark: 100,
        last_stable_offset: 100,
        log_start_offset: 0,
        redirects: false,
    };
    if buffer.note(target, status, true, Instant::now()) && buffer.admit(target, job) {
        open_all(buffer);
    }
}

/// The opener's turn.
fn open_all(buffer: &mut FetchBuffer) {
    while let Some(mut task) = buffer.start_opening() {
        let parts = task.opening.open(&ReadLimits::default(), 1);
        buffer.opened(task, parts);
    }
}

fn offsets(buffer: &mut FetchBuffer) -> Vec<(i32, i64)> {
    let mut offsets = Vec::new();
    while let Some(taken) = buffer.next_record().expect("no error is queued") {
        offsets.push((taken.batch.partition, taken.view.offset));
    }
    offsets
}

#[test]
fn records_come_in_order_and_move_the_position() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 3));
    assert_eq!(
        buffer
            .next_record()
            .expect("ready")
            .expect("a record")
            .view
            .offset,
        0
    );
    assert_eq!(
        buffer.cursor(&partition(0)).expect("assigned").position(),
        Some(1)
    );
    assert_eq!(offsets(&mut buffer), [(0, 1), (0, 2)]);
    assert_eq!(
        buffer.cursor(&partition(0)).expect("assigned").position(),
        Some(3)
    );
    assert_eq!(take_targets(&mut buffer)[0].from.offset, 3);
}

#[test]
fn the_next_fetch_continues_before_the_last_answer_is_opened() {
    let mut buffer = assigned(1);
    let first = take_targets(&mut buffer).remove(0);
    buffer.landed(std::slice::from_ref(&first));
    let late = job(&first, wire(0, 5));
    assert!(buffer.admit(&first, late));
    let second = take_targets(&mut buffer).remove(0);
    assert_eq!(second.from.offset, 5);
    answer(&mut buffer, &second, wire(5, 2));
    let seen: Vec<i64> = offsets(&mut buffer)
        .into_iter()
        .map(|(_, offset)| offset)
        .collect();
    assert_eq!(seen, [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn records_before_the_position_are_not_shown() {
    let mut buffer = assigned(1);
    buffer
        .seek(&partition(0), FetchPosition::at(2))
        .expect("assigned");
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 4));
    assert_eq!(offsets(&mut buffer), [(0, 2), (0, 3)]);
}

#[test]
fn a_seek_drops_what_was_fetched_and_what_is_under_way() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 4));
    let under_way = take_targets(&mut buffer).remove(0);
    buffer.next_record().expect("ready").expect("a record");
    buffer
        .seek(&partition(0), FetchPosition::at(50))
        .expect("assigned");
    assert!(!buffer.is_ready());
    assert_eq!(buffer.buffered(), 0);
    answer(&mut buffer, &under_way, wire(4, 4));
    assert!(!buffer.is_ready());
    assert_eq!(take_targets(&mut buffer)[0].from.offset, 50);
}

#[test]
fn a_paused_partition_keeps_its_place_and_its_data() {
    let mut buffer = assigned(2);
    for target in take_targets(&mut buffer) {
        answer(&mut buffer, &target, wire(0, 2));
    }
    let first = buffer
        .next_record()
        .expect("ready")
        .expect("a record")
        .batch
        .partition;
    buffer
        .set_paused(&partition(first), true)
        .expect("assigned");
    let rest: Vec<i32> = offsets(&mut buffer)
        .into_iter()
        .map(|(number, _)| number)
        .collect();
    assert_eq!(rest, [1 - first, 1 - first]);
    assert!(
        take_targets(&mut buffer)
            .iter()
            .all(|target| target.partition.partition != first)
    );
    buffer
        .set_paused(&partition(first), false)
        .expect("assigned");
    assert_eq!(offsets(&mut buffer), [(first, 1)]);
}

#[test]
fn partitions_take_turns() {
    let mut buffer = assigned(2);
    for target in take_targets(&mut buffer) {
        answer(&mut buffer, &target, wire(0, 2));
    }
    for target in take_targets(&mut buffer) {
        answer(&mut buffer, &target, wire(2, 2));
    }
    let turns: Vec<i32> = offsets(&mut buffer)
        .into_iter()
        .map(|(number, _)| number)
        .collect();
    assert_ne!(turns[0..2], turns[2..4]);
    assert_eq!(turns[0..2], turns[4..6]);
}

#[test]
fn taking_stops_at_the_maximum_and_goes_on_from_there() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 10));
    let first = buffer.take(4).expect("ready");
    assert_eq!(first.iter().map(|slice| slice.count).sum::<u32>(), 4);
    assert_eq!(
        buffer.cursor(&partition(0)).expect("assigned").position(),
        Some(4)
    );
    let slice = &buffer.take(100).expect("ready")[0];
    assert_eq!(slice.count, 6);
    assert_eq!(slice.batch.batch.record_at(slice.start).offset, 4);
}

#[test]
fn full_buffers_ask_for_nothing_until_the_application_takes() {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 10);
    buffer.assign(vec![(partition(0), Some(FetchPosition::at(0)))]);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 10));
    assert!(!buffer.has_credit());
    buffer.next_record().expect("ready").expect("a record");
    assert!(buffer.has_credit());
}

#[test]
fn an_error_comes_after_the_records_before_it_and_is_tried_again() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    let mut records = wire(0, 2).to_vec();
    let mut broken = wire(2, 2).to_vec();
    let last = broken.len() - 1;
    broken[last] ^= 1;
    records.extend_from_slice(&broken);
    answer(&mut buffer, &target, records.into());
    assert_eq!(buffer.take(10).expect("records first").len(), 1);
    let error = buffer.take(10).expect_err("the broken batch");
    assert!(
        matches!(&error, FetchError::Corrupt { offset: 2, partition: at, .. } if *at == partition(0)),
        "{error:?}"
    );
    assert_eq!(
        buffer.take_targets(Instant::now() + Duration::from_secs(1), |_| true)[0]
            .from
            .offset,
        2
    );
}

#[test]
fn an_error_behind_records_of_the_same_call_waits_for_the_next() {
    let mut buffer = assigned(2);
    let targets = take_targets(&mut buffer);
    answer(&mut buffer, &targets[0], wire(0, 2));
    let error = FetchError::NoOffset {
        partition: partition(1),
    };
    buffer.fail(targets[1].id, targets[1].epoch, error.clone());
    assert_eq!(buffer.take(10).expect("records first").len(), 1);
    assert_eq!(buffer.take(10).expect_err("then the error"), error);
    assert!(buffer.take(10).expect("nothing left").is_empty());
}

#[test]
fn out_of_range_starts_over_or_raises_as_the_policy_says() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    buffer.landed(std::slice::from_ref(&target));
    buffer.out_of_range(&target, Instant::now());
    assert_eq!(
        buffer.cursor(&partition(0)).expect("assigned").state,
        CursorState::Unset(StartAt::Policy)
    );

    let mut strict = FetchBuffer::new(AutoOffsetReset::None, 1 << 20);
    strict.assign(vec![(partition(0), Some(FetchPosition::at(7)))]);
    let target = take_targets(&mut strict).remove(0);
    strict.landed(std::slice::from_ref(&target));
    assert!(strict.out_of_range(&target, Instant::now()));
    assert!(matches!(
        strict.next_record(),
        Err(FetchError::OffsetOutOfRange { offset: 7, .. })
    ));
}

#[test]
fn a_stale_out_of_range_moves_nothing() {
    for policy in [AutoOffsetReset::None, AutoOffsetReset::Latest] {
        let mut buffer = FetchBuffer::new(policy, 800);
        buffer.assign(vec![(partition(0), Some(FetchPosition::at(10)))]);
        let now = take_targets(&mut buffer).remove(0);
        // What lay between was dropped while this was under way.
        let stale = FetchTarget {
            from: FetchPosition::at(30),
            ..now.clone()
        };
        buffer.landed(std::slice::from_ref(&now));
        assert!(!buffer.out_of_range(&stale, Instant::now()));
        assert_eq!(take_targets(&mut buffer)[0].from, FetchPosition::at(10));
    }
}

#[test]
fn assigning_again_keeps_what_stays_and_forgets_what_goes() {
    let mut buffer = assigned(2);
    for target in take_targets(&mut buffer) {
        answer(&mut buffer, &target, wire(0, 2));
    }
    buffer.assign(vec![
        (partition(1), None),
        (partition(2), Some(FetchPosition::at(9))),
    ]);
    assert_eq!(offsets(&mut buffer), [(1, 0), (1, 1)]);
    let mut positions: Vec<_> = buffer
        .cursors()
        .map(|(_, cursor)| (cursor.partition.partition, cursor.position()))
        .collect();
    positions.sort_unstable();
    assert_eq!(positions, [(1, Some(2)), (2, Some(9))]);
}

#[test]
fn a_back_off_hides_the_cursor_until_its_end() {
    let mut buffer = assigned(1);
    let now = Instant::now();
    let (id, epoch) = buffer
        .cursors()
        .map(|(id, cursor)| (id, cursor.epoch))
        .next()
        .expect("one");
    buffer.refused(id, epoch, now, "fetch", "not now");
    assert!(buffer.take_targets(now, |_| true).is_empty());
    let until = buffer.next_wake(now).expect("a pause");
    assert!(until > now && until <= now + Duration::from_millis(120));
    assert_eq!(buffer.take_targets(until, |_| true).len(), 1);
}

#[test]
fn a_batch_that_does_not_join_what_is_queued_is_asked_for_again() {
    let mut buffer = assigned(1);
    let first = take_targets(&mut buffer).remove(0);
    let skipped = FetchTarget {
        from: FetchPosition::at(5),
        ..first
    };
    let late = job(&skipped, wire(5, 2));
    assert!(!buffer.admit(&skipped, late));
    buffer.landed(std::slice::from_ref(&skipped));
    assert_eq!(take_targets(&mut buffer)[0].from.offset, 0);
}

mod transactions {
    use kafkars_records::TransactionMarker;

    use super::*;
    use crate::fetch::open::{AbortedTransaction, Opened};
    use crate::fetch::opening::Opening;

    fn transactional(base_offset: i64, producer_id: i64) -> Vec<u8> {
        let mut builder = BatchBuilder::new(64);
        builder.append(0, None, Some(b"v"), &[]);
        let fields = ProducerFields {
            producer_id,
            producer_epoch: 0,
            base_sequence: 0,
            transactional: true,
        };
        let sealed = builder.seal(Compression::default(), fields).expect("seals");
        let raw = batches(sealed.bytes).next().expect("one").expect("whole");
        raw.with_position(base_offset, 0)
            .expect("fits")
            .bytes()
            .to_vec()
    }

    fn marker(base_offset: i64, producer_id: i64, committed: bool) -> Vec<u8> {
        let marker = TransactionMarker {
            committed,
            producer_id,
            producer_epoch: 0,
            coordinator_epoch: 0,
            timestamp: 0,
        };
        let bytes = marker.to_batch().expect("builds");
        let raw = batches(bytes).next().expect("one").expect("whole");
        raw.with_position(base_offset, 0)
            .expect("fits")
            .bytes()
            .to_vec()
    }

    fn shown(isolation: IsolationLevel) -> Vec<i64> {
        let records = [
            transactional(0, 1),
            transactional(1, 2),
            marker(2, 1, false),
            transactional(3, 1),
            marker(4, 1, true),
            marker(5, 2, true),
        ];
        let job = OpenJob {
            partition: partition(0),
            from: FetchPosition::at(0),
            response: ResponseMemory::new(1 << 20),
            records: records.concat().into(),
            aborted: vec![AbortedTransaction {
                producer_id: 1,
                first_offset: 0,
            }],
            isolation,
        };
        assert_eq!(job.next().offset, 6);
        let opened = Opening::new(job).open(&ReadLimits::default(), usize::MAX);
        let offsets = opened.iter().filter_map(|opened| match opened {
            Opened::Records(batch) => Some(batch.batch.record_at(batch.first()).offset),
            Opened::Skip(_) => None,
            Opened::Failed(error) => panic!("{error}"),
        });
        offsets.collect()
    }

    #[test]
    fn read_committed_hides_aborted_records_and_only_those() {
        assert_eq!(shown(IsolationLevel::ReadCommitted), [1, 3]);
        assert_eq!(shown(IsolationLevel::ReadUncommitted), [0, 1, 3]);
    }

    #[test]
    fn a_fetch_that_begins_at_an_abort_marker_hides_nothing_committed() {
        let records = [marker(4, 1, false), transactional(5, 1), marker(6, 1, true)].concat();
        let mut opening = Opening::new(OpenJob {
            partition: partition(0),
            from: FetchPosition::at(4),
            response: ResponseMemory::new(1 << 20),
            records: records.into(),
            aborted: vec![AbortedTransaction {
                producer_id: 1,
                first_offset: 0,
            }],
            isolation: IsolationLevel::ReadCommitted,
        });
        let opened = opening.open(&ReadLimits::default(), usize::MAX);
        let shown: Vec<_> = opened
            .iter()
            .filter(|part| matches!(part, Opened::Records(_)))
            .collect();
        assert_eq!((opened.len(), shown.len()), (3, 1));
    }

    #[test]
    fn the_position_moves_over_markers_at_the_end() {
        let mut buffer = assigned(1);
        let target = take_targets(&mut buffer).remove(0);
        let records = [transactional(0, 1), marker(1, 1, true)].concat();
        answer(&mut buffer, &target, records.into());
        assert_eq!(offsets(&mut buffer), [(0, 0)]);
        assert_eq!(
            buffer.cursor(&partition(0)).expect("assigned").position(),
            Some(2)
        );
    }
}

#[test]
fn late_answers_after_reassignment_are_dropped() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    buffer.assign(Vec::new());
    buffer.assign(vec![(partition(0), Some(FetchPosition::at(7)))]);
    answer(&mut buffer, &target, wire(0, 2));
    assert!(!buffer.is_ready());
    assert_eq!(Arc::strong_count(&target.partition.topic), 1);
}

mod progress {
    use super::*;
    use crate::group::CommitId;

    fn finished(buffer: &FetchBuffer) -> Vec<(i32, i64)> {
        let mut finished: Vec<_> = buffer
            .finished()
            .into_iter()
            .map(|(partition, place)| (partition.partition, place.offset))
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
                let place = FetchPosition::at(offset);
                match is_assigned {
                    true => buffer.assign(vec![(partition(0), Some(place))]),
                    false => buffer.seek(&partition(0), place).expect("it is assigned"),
                }
                assert_eq!(finished(&buffer), [(0, before)], "sought {offset}");
                buffer.finish_all();
                assert_eq!(finished(&buffer), [(0, offset)]);
            }
        }
    }

    #[test]
    fn a_partition_that_comes_back_finishes_nothing_that_is_in_hand() {
        let place = Some(FetchPosition::at(40));
        let mut buffer = five_finished_and_five_in_hand();
        buffer.assign(Vec::new());
        buffer.assign(vec![(partition(0), place)]);
        assert_eq!(finished(&buffer), [(0, 5)]);
        buffer.finish_all();
        assert_eq!(finished(&buffer), [(0, 40)]);

        // Another cursor in the same place has nothing to do with it.
        let mut buffer = five_finished_and_five_in_hand();
        buffer.assign(vec![(partition(1), place)]);
        assert_eq!(finished(&buffer), [(1, 40)]);
        buffer.assign(vec![(partition(0), None)]);
        buffer
            .seek_to(&partition(0), StartAt::Latest)
            .expect("it is assigned");
        assert_eq!(finished(&buffer), [(0, 5)]);

        // What others have committed meanwhile is no less for what is in hand.
        let mut buffer = five_finished_and_five_in_hand();
        buffer.assign(Vec::new());
        buffer.forget_unfinished(&[partition(0)]);
        buffer.assign(vec![(partition(0), place)]);
        assert_eq!(finished(&buffer), [(0, 40)]);
    }

    fn to_commit(buffer: &FetchBuffer) -> Option<i64> {
        let positions = buffer.to_commit();
        positions.first().map(|(_, place)| place.offset)
    }

    #[test]
    fn a_position_that_was_looked_up_is_not_committed_over_what_the_application_has_committed() {
        for is_found_before in [true, false] {
            let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 20);
            buffer.start_from_committed();
            buffer.assign(vec![(partition(0), None)]);
            let look_up = buffer.take_look_ups(Instant::now(), |_, _| true).remove(0);
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
        let look_up = buffer.take_look_ups(later, |_, _| true).remove(0);
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
        let look_up = buffer.take_look_ups(later, |_, _| true).remove(0);
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

    /// It may have arrived or not: the place it was committed at before counts no longer, whatever comes of it.
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
        // It is not taken, so the one before it is the latest.
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
            let look_ups = buffer.take_look_ups(Instant::now(), |_, _| true);
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
}

mod chosen {
    use super::*;

    fn filled(partitions: i32) -> FetchBuffer {
        let mut buffer = assigned(partitions);
        for target in take_targets(&mut buffer) {
            answer(&mut buffer, &target, wire(0, 2));
        }
        buffer
    }

    fn next_of(buffer: &mut FetchBuffer, number: i32) -> Option<(i32, i64)> {
        if !buffer.turn_to(&[partition(number)]) {
            return None;
        }
        let taken = buffer.next_record().expect("no error is queued")?;
        Some((taken.batch.partition, taken.view.offset))
    }

    #[test]
    fn a_partition_that_is_wanted_comes_first_and_the_others_wait() {
        let mut buffer = filled(3);
        assert_eq!(next_of(&mut buffer, 0), Some((0, 0)));
        assert!(buffer.is_ready_for(&[partition(2)]));
        assert_eq!(next_of(&mut buffer, 2), Some((2, 0)));
        assert_eq!(next_of(&mut buffer, 2), Some((2, 1)));
        assert!(!buffer.is_ready_for(&[partition(2)]));
        assert_eq!(next_of(&mut buffer, 2), None);
        let mut rest = offsets(&mut buffer);
        rest.sort_unstable();
        assert_eq!(rest, [(0, 1), (1, 0), (1, 1)]);
        assert_eq!(buffer.buffered(), 0);
    }

    #[test]
    fn a_batch_call_takes_of_the_wanted_only() {
        let mut buffer = filled(3);
        let wanted = [partition(1), partition(2)];
        let slices = buffer.take_of(3, Some(&wanted)).expect("no error");
        let taken: Vec<_> = slices
            .iter()
            .map(|slice| (slice.batch.partition, slice.count))
            .collect();
        assert_eq!(taken, [(1, 2), (2, 1)]);
        assert_eq!(offsets(&mut buffer), [(2, 1), (0, 0), (0, 1)]);
    }

    #[test]
    fn a_paused_partition_is_not_turned_to() {
        let mut buffer = filled(1);
        buffer
            .set_paused(&partition(0), true)
            .expect("it is assigned");
        assert_eq!(next_of(&mut buffer, 0), None);
    }

    #[test]
    fn what_is_wanted_is_asked_for_though_others_fill_the_buffer() {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1);
        let places = (0..2).map(|number| (partition(number), Some(FetchPosition::at(0))));
        buffer.assign(places.collect());
        let targets = take_targets(&mut buffer);
        answer(&mut buffer, &targets[0], wire(0, 2));
        buffer.landed(&targets[1..]);
        assert!(!buffer.has_credit());
        assert_eq!(next_of(&mut buffer, 1), None);
        assert!(buffer.has_credit());
        let asked = take_targets(&mut buffer);
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].partition, partition(1));
        assert!(buffer.has_left_out(), "the first has no room");
        answer(&mut buffer, &asked[0], wire(0, 1));
        assert_eq!(next_of(&mut buffer, 1), Some((1, 0)));
        assert!(!buffer.has_credit());
        offsets(&mut buffer);
        assert!(buffer.has_room());
        assert_eq!(take_targets(&mut buffer).len(), 2);
        assert!(!buffer.has_left_out());
    }

    #[test]
    fn asking_for_one_partition_in_vain_gives_room_to_no_other() {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1);
        let places = (0..4).map(|number| (partition(number), Some(FetchPosition::at(0))));
        buffer.assign(places.collect());
        let targets = take_targets(&mut buffer);
        answer(&mut buffer, &targets[0], wire(0, 2));
        buffer.landed(&targets[1..]);
        let wanted = [partition(1), partition(2)];
        assert!(
            buffer
                .take_of(9, Some(&wanted))
                .expect("no error")
                .is_empty()
        );
        let asked = take_targets(&mut buffer);
        let asked: Vec<_> = asked.iter().map(|target| &target.partition).collect();
        assert_eq!(asked, [&wanted[0], &wanted[1]]);
        assert!(buffer.has_left_out());
        // Nobody is to miss what is not asked for.
        let later = Instant::now() + Duration::from_secs(9);
        let status = PartitionStatus {
            high_watermark: 0,
            last_stable_offset: 0,
            log_start_offset: 0,
            redirects: false,
        };
        for target in targets {
            if wanted.contains(&target.partition) {
                buffer.note(&target, status, false, later);
            }
        }
        let since = buffer.silent_since(Instant::now());
        assert_eq!(since, Some(later));
    }

    #[test]
    fn partitions_that_are_asked_for_one_after_the_other_take_a_bounded_surplus() {
        const PARTITIONS: i32 = 200;
        const LIMIT: usize = 1 << 20;
        const RECORDS: i64 = 20;
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, LIMIT);
        let places = (0..PARTITIONS).map(|number| (partition(number), Some(FetchPosition::at(0))));
        buffer.assign(places.collect());
        let answer_of = |from| wire_of(from, (0..RECORDS).map(|_| vec![0; 3_000]));
        let size = answer_of(0).len();
        let mut most = 0;
        for round in 0..3 {
            for number in 0..PARTITIONS {
                let mut requests = 0;
                while next_of(&mut buffer, number).map(|(_, offset)| offset) != Some(round) {
                    requests += 1;
                    assert!(requests < 10, "partition {number} is not fetched");
                    let mut targets = take_targets(&mut buffer);
                    // A request brings few answers: of the one that is asked for, and of others.
                    targets.sort_by_key(|target| target.partition.partition != number);
                    let (answered, left) = targets.split_at(targets.len().min(4));
                    buffer.landed(left);
                    for target in answered {
                        answer(&mut buffer, target, answer_of(target.from.offset));
                        most = most.max(buffer.buffered());
                    }
                }
                // Every other reader goes away when it has asked, and what came for it stays.
                let abandoned = (number + PARTITIONS / 2) % PARTITIONS;
                buffer.turn_to(&[partition(abandoned)]);
            }
        }
        // Of a request before the buffer was full, and of nine partitions beyond that.
        let bound = LIMIT + (4 + 9) * (size + size / 2);
        assert!(most < bound, "{most} bytes, and not below {bound}");
    }

    #[test]
    fn what_is_asked_for_in_vain_stands_whatever_else_is_asked_or_taken() {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1);
        let places = (0..4).map(|number| (partition(number), Some(FetchPosition::at(0))));
        buffer.assign(places.collect());
        let targets = take_targets(&mut buffer);
        answer(&mut buffer, &targets[0], wire(0, 2));
        buffer.landed(&targets[1..]);
        let mut take = |number, count: usize| {
            let taken = buffer.take_of(9, Some(&[partition(number)]));
            assert_eq!(taken.expect("no error").len(), count);
        };
        take(1, 0);
        take(2, 0);
        let asked = |buffer: &mut FetchBuffer| -> Vec<i32> {
            let targets = take_targets(buffer);
            buffer.landed(&targets);
            targets
                .iter()
                .map(|target| target.partition.partition)
                .collect()
        };
        assert_eq!(asked(&mut buffer), [1, 2]);
        assert!(buffer.next_record().expect("no error").is_some());
        let mut in_vain = asked(&mut buffer);
        in_vain.retain(|number| [1, 2].contains(number));
        assert_eq!(in_vain, [1, 2]);
        buffer.remove(&[partition(1)]);
        let mut in_vain = asked(&mut buffer);
        in_vain.retain(|number| [1, 2].contains(number));
        assert_eq!(in_vain, [2]);
    }
}

mod paused {
    use super::*;

    /// A buffer with room for less than two batches of ten records, two partitions, of which the first is paused and
    /// full.
    fn blocked() -> FetchBuffer {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 600);
        let places = (0..2).map(|number| (partition(number), Some(FetchPosition::at(0))));
        buffer.assign(places.collect());
        let targets = take_targets(&mut buffer);
        let records = [wire(0, 10), wire(10, 10), wire(20, 10)].concat();
        answer(&mut buffer, &targets[0], records.into());
        buffer.landed(&targets[1..]);
        buffer.set_paused(&partition(0), true).expect("assigned");
        buffer
    }

    #[test]
    fn a_full_paused_partition_does_not_starve_the_others() {
        let mut buffer = blocked();
        assert!(buffer.has_credit());
        assert!(buffer.silent_since(Instant::now()).is_some());
        let target = take_targets(&mut buffer).remove(0);
        assert_eq!(target.partition, partition(1));
        answer(&mut buffer, &target, wire(0, 1));
        assert_eq!(offsets(&mut buffer), [(1, 0)]);
    }

    #[test]
    fn what_is_dropped_of_a_paused_partition_comes_after_the_pause() {
        let mut buffer = blocked();
        take_targets(&mut buffer);
        buffer.set_paused(&partition(0), false).expect("assigned");
        let mut seen = offsets(&mut buffer);
        let target = take_targets(&mut buffer).remove(0);
        assert_eq!(target.from.offset, seen.len() as i64);
        let rest = [wire(0, 10), wire(10, 10), wire(20, 10)].concat();
        answer(&mut buffer, &target, rest.into());
        while buffer.is_ready() {
            seen.extend(offsets(&mut buffer));
            open_all(&mut buffer);
        }
        let expected: Vec<_> = (0..30).map(|offset| (0, offset)).collect();
        assert_eq!(seen, expected);
        assert_eq!(buffer.buffered(), 0);
    }

    #[test]
    fn a_short_pause_drops_nothing_while_nobody_needs_the_room() {
        let mut buffer = assigned(1);
        let target = take_targets(&mut buffer).remove(0);
        answer(&mut buffer, &target, wire(0, 3));
        for expected in 0..3 {
            let taken = buffer.next_record().expect("no error").expect("a record");
            assert_eq!(taken.view.offset, expected);
            buffer.set_paused(&partition(0), true).expect("assigned");
            assert!(take_targets(&mut buffer).is_empty());
            buffer.set_paused(&partition(0), false).expect("assigned");
        }
    }

    /// Two partitions that fill the buffer change places after every record.
    #[test]
    fn partitions_that_take_turns_in_a_pause_are_read_from_what_they_have() {
        const BATCHES: i64 = 40;
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 200_000);
        let both = [partition(0), partition(1)];
        buffer.assign(
            both.clone()
                .map(|one| (one, Some(FetchPosition::at(0))))
                .into(),
        );
        let (mut asked, mut read) = (0, 0);
        for turn in 0..1_000 {
            let paused = &both[turn % 2];
            buffer.set_paused(paused, true).expect("assigned");
            let other = &both[1 - turn % 2];
            buffer.set_paused(other, false).expect("assigned");
            while buffer.has_credit() {
                let targets = take_targets(&mut buffer);
                for target in &targets {
                    asked += BATCHES;
                    let first = target.from.offset;
                    let batches = (first..first + BATCHES).map(|offset| wire(offset, 1));
                    let records = batches.collect::<Vec<_>>().concat();
                    answer(&mut buffer, target, records.into());
                }
                if targets.is_empty() {
                    break;
                }
            }
            open_all(&mut buffer);
            let taken = buffer.next_record().expect("no error").expect("a record");
            assert_eq!(taken.batch.partition, other.partition);
            assert_eq!(taken.view.offset, (turn / 2) as i64);
            read += 1;
        }
        assert!(asked < 8 * read, "{asked} records fetched for {read}");
    }

    /// It was asked about more than there is left, which says nothing of the rest: that is asked about then.
    #[test]
    fn a_question_about_what_was_dropped_meanwhile_is_asked_again() {
        let mut buffer = blocked();
        buffer.set_paused(&partition(0), false).expect("assigned");
        assert_eq!(buffer.take(5).expect("no error").len(), 1);
        buffer.set_paused(&partition(0), true).expect("assigned");
        let now = Instant::now();
        let asked = |buffer: &mut FetchBuffer| buffer.take_validations(now, |_| Some((1, 9)));
        let question = asked(&mut buffer).remove(0);
        assert_eq!(question.from.offset, 30);
        take_targets(&mut buffer);
        let diverging = EpochEnd {
            leader_epoch: 2,
            end_offset: 5,
        };
        buffer.validated(&question, Some(diverging), now);
        let again = asked(&mut buffer);
        assert_eq!(again.len(), 1);
        assert!(again[0].from.offset < 30);
    }

    #[test]
    fn an_error_of_a_paused_partition_is_not_dropped() {
        let mut buffer = blocked();
        let (id, epoch) = buffer
            .cursors()
            .find(|(_, cursor)| cursor.paused)
            .map(|(id, cursor)| (id, cursor.epoch))
            .expect("one is paused");
        let error = FetchError::NoOffset {
            partition: partition(0),
        };
        buffer.fail(id, epoch, error.clone());
        let target = take_targets(&mut buffer).remove(0);
        assert!(!buffer.has_left_out());
        answer(&mut buffer, &target, wire(0, 1));
        take_targets(&mut buffer);
        assert!(buffer.has_left_out(), "dropping has freed nothing");
        assert_eq!(offsets(&mut buffer), [(1, 0)]);
        buffer.set_paused(&partition(0), false).expect("assigned");
        let (mut records, mut raised) = (0, Vec::new());
        while buffer.is_ready() {
            match buffer.next_record() {
                Ok(taken) => records += usize::from(taken.is_some()),
                Err(error) => raised.push((records, error)),
            }
            open_all(&mut buffer);
        }
        assert_eq!(raised, [(30, error)]);
    }
}

mod errors {
    use super::*;
    use crate::fetch::error::FetchError;

    /// A partition with an opened answer, one that is not opened, and an error behind both.
    fn refused_ahead(limit: usize) -> (FetchBuffer, FetchError) {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::None, limit);
        buffer.assign(vec![(partition(0), Some(FetchPosition::at(0)))]);
        let target = take_targets(&mut buffer).remove(0);
        answer(&mut buffer, &target, wire(0, 5));
        let target = take_targets(&mut buffer).remove(0);
        buffer.landed(std::slice::from_ref(&target));
        assert!(buffer.admit(&target, job(&target, wire(5, 5))));
        let target = take_targets(&mut buffer).remove(0);
        buffer.landed(std::slice::from_ref(&target));
        assert_eq!(target.from.offset, 10);
        buffer.out_of_range(&target, Instant::now());
        let error = FetchError::OffsetOutOfRange {
            partition: partition(0),
            offset: 10,
            log_start: 0,
            high_watermark: 100,
        };
        (buffer, error)
    }

    #[test]
    fn an_error_comes_behind_answers_that_are_not_opened_yet() {
        let (mut buffer, error) = refused_ahead(1 << 20);
        let shown: Vec<_> = (0..10).map(|offset| (0, offset)).collect();
        assert!(take_targets(&mut buffer).is_empty());
        assert_eq!(offsets(&mut buffer), shown[..5]);
        open_all(&mut buffer);
        assert_eq!(offsets_and_error(&mut buffer), (shown[5..].to_vec(), error));
    }

    #[test]
    fn what_is_before_an_error_stays_with_it_in_a_pause() {
        let (mut buffer, error) = refused_ahead(1 << 20);
        buffer.set_paused(&partition(0), true).expect("assigned");
        open_all(&mut buffer);
        buffer.drop_paused();
        buffer.set_paused(&partition(0), false).expect("assigned");
        open_all(&mut buffer);
        let shown: Vec<_> = (0..10).map(|offset| (0, offset)).collect();
        assert_eq!(offsets_and_error(&mut buffer), (shown, error));
        let later = Instant::now() + Duration::from_secs(9);
        assert_eq!(buffer.take_targets(later, |_| true)[0].from.offset, 10);
    }

    #[test]
    fn what_comes_while_an_error_waits_is_asked_for_again() {
        let mut buffer = assigned(1);
        let target = take_targets(&mut buffer).remove(0);
        let error = FetchError::NoOffset {
            partition: partition(0),
        };
        assert!(buffer.fail(target.id, target.epoch, error.clone()));
        answer(&mut buffer, &target, wire(0, 5));
        assert_eq!(offsets_and_error(&mut buffer), (Vec::new(), error));
        assert_eq!(take_targets(&mut buffer)[0].from.offset, 0);
    }

    fn offsets_and_error(buffer: &mut FetchBuffer) -> (Vec<(i32, i64)>, FetchError) {
        let mut offsets = Vec::new();
        loop {
            match buffer.next_record() {
                Ok(Some(taken)) => offsets.push((taken.batch.partition, taken.view.offset)),
                Ok(None) => panic!("the error comes after {offsets:?}"),
                Err(error) => return (offsets, error),
            }
        }
    }
}

mod responses {
    use super::*;

    const RESPONSE: usize = 1 << 20;

    /// A wire batch of one uncompressed record of `size` bytes.
    fn large(base_offset: i64, size: usize) -> Vec<u8> {
        let mut builder = BatchBuilder::new(64);
        builder.append(1_000, None, Some(&vec![7; size]), &[]);
        let sealed = builder
            .seal(Compression::default(), ProducerFields::default())
            .expect("an uncompressed batch seals");
        let raw = batches(sealed.bytes).next().expect("one").expect("whole");
        let placed = raw.with_position(base_offset, 3).expect("magic 2");
        placed.bytes().to_vec()
    }

    /// Two partitions whose parts came in one response of a mebibyte.
    fn shared() -> FetchBuffer {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 4 * RESPONSE);
        let places = (0..2).map(|number| (partition(number), Some(FetchPosition::at(0))));
        buffer.assign(places.collect());
        let response = ResponseMemory::new(RESPONSE);
        for target in take_targets(&mut buffer) {
            buffer.landed(std::slice::from_ref(&target));
            let records = [large(0, 20_000), large(1, 20_000)].concat();
            let job = OpenJob {
                response: Arc::clone(&response),
                ..job(&target, records.into())
            };
            assert!(buffer.admit(&target, job));
        }
        buffer
    }

    #[test]
    fn a_response_counts_once_and_until_nothing_waits_in_it() {
        let mut buffer = shared();
        assert_eq!(buffer.buffered(), RESPONSE);
        open_all(&mut buffer);
        for left in (0..4).rev() {
            buffer.next_record().expect("no error").expect("a record");
            let whole = if left > 0 { RESPONSE } else { 0 };
            let held = buffer.buffered();
            assert!(
                (whole..=whole + 8_192).contains(&held),
                "{held} with {left} left"
            );
        }
        assert_eq!(buffer.buffered(), 0);
    }

    #[test]
    fn a_response_of_dropped_partitions_counts_no_longer() {
        for drop_both in [
            |buffer: &mut FetchBuffer| buffer.remove(&[partition(0), partition(1)]),
            |buffer: &mut FetchBuffer| {
                for number in 0..2 {
                    let sought = buffer.seek(&partition(number), FetchPosition::at(0));
                    sought.expect("assigned");
                }
            },
        ] {
            let mut buffer = shared();
            let task = buffer.start_opening().expect("there is something to open");
            drop_both(&mut buffer);
            assert_eq!(buffer.buffered(), 0);
            buffer.opened(task, Vec::new());
            assert_eq!(buffer.buffered(), 0);

            let mut buffer = shared();
            open_all(&mut buffer);
            buffer.next_record().expect("no error").expect("a record");
            drop_both(&mut buffer);
            assert_eq!(buffer.buffered(), 0);
        }
    }

    #[test]
    fn a_batch_that_is_put_back_counts_again() {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 4 * RESPONSE);
        buffer.assign(vec![(partition(0), Some(FetchPosition::at(0)))]);
        let target = take_targets(&mut buffer).remove(0);
        buffer.landed(std::slice::from_ref(&target));
        let mut builder = BatchBuilder::new(64);
        for _ in 0..2 {
            builder.append(1_000, None, Some(&[7; 20_000]), &[]);
        }
        let sealed = builder.seal(Compression::default(), ProducerFields::default());
        let job = OpenJob {
            response: ResponseMemory::new(RESPONSE),
            ..job(&target, sealed.expect("seals").bytes)
        };
        assert!(buffer.admit(&target, job));
        open_all(&mut buffer);
        buffer.next_record().expect("no error").expect("a record");
        assert_eq!(buffer.buffered(), 0, "what is handed out does not wait");
        buffer.set_paused(&partition(0), true).expect("assigned");
        assert!(buffer.buffered() >= RESPONSE);
        buffer.set_paused(&partition(0), false).expect("assigned");
        assert_eq!(offsets(&mut buffer), [(0, 1)]);
        assert_eq!(buffer.buffered(), 0);
    }
}

mod position_errors {
    use super::*;

    fn refused(buffer: &mut FetchBuffer, number: i32, error: FetchError) {
        let id = buffer.id(&partition(number)).expect("assigned");
        let epoch = buffer.cursors[id].as_ref().expect("assigned").epoch;
        buffer.fail(id, epoch, error);
    }

    fn unset(partitions: i32) -> FetchBuffer {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::None, 1 << 20);
        let all = (0..partitions).map(|number| (partition(number), None));
        buffer.assign(all.collect());
        buffer
    }

    #[test]
    fn whoever_asks_for_the_position_hears_why_there_is_none_and_it_is_tried_again() {
        let mut buffer = unset(1);
        let error = FetchError::NoOffset {
            partition: partition(0),
        };
        refused(&mut buffer, 0, error.clone());
        assert_eq!(
            buffer.take_position_error(&partition(0)),
            Ok(Some(error.clone()))
        );
        assert_eq!(buffer.take_position_error(&partition(0)), Ok(None));
        assert!(!buffer.is_ready(), "nobody else hears of it");
        let state = buffer.cursor(&partition(0)).expect("assigned").state;
        assert_eq!(state, CursorState::Unset(StartAt::Policy));
        refused(&mut buffer, 0, error.clone());
        assert_eq!(buffer.next_record().expect_err("it is raised"), error);
    }

    #[test]
    fn what_is_said_of_a_topic_holds_for_each_partition_and_stays() {
        let mut buffer = unset(2);
        let error = FetchError::Topic {
            topic: "t".into(),
            code: kafkars_protocol::ErrorCode::UnknownTopicOrPartition,
        };
        refused(&mut buffer, 0, error.clone());
        for _ in 0..2 {
            assert_eq!(
                buffer.take_position_error(&partition(1)),
                Ok(Some(error.clone()))
            );
        }
        assert_eq!(buffer.next_record().expect_err("it is raised"), error);
    }

    #[test]
    fn an_error_of_a_partition_with_a_position_is_left_to_whoever_reads() {
        let mut buffer = assigned(1);
        let error = FetchError::NoOffset {
            partition: partition(0),
        };
        refused(&mut buffer, 0, error.clone());
        assert_eq!(buffer.take_position_error(&partition(0)), Ok(None));
        assert_eq!(buffer.next_record().expect_err("it is raised"), error);
    }
}

mod opening {
    use super::*;
    use crate::fetch::opening::Opening;

    /// Takes everything that comes out of one answer.
    fn opened(records: Vec<u8>, from: i64) -> Vec<(i64, i64)> {
        let job = OpenJob {
            partition: partition(0),
            from: FetchPosition::at(from),
            response: ResponseMemory::new(1 << 20),
            records: records.into(),
            aborted: Vec::new(),
            isolation: IsolationLevel::ReadCommitted,
        };
        let next = job.next().offset;
        let mut opening = Opening::new(job);
        let parts = opening.open(&ReadLimits::default(), usize::MAX);
        assert!(opening.is_done());
        assert_eq!(opening.at().offset, next);
        let ranges = parts.iter().map(|part| match part {
            crate::fetch::open::Opened::Records(batch) => {
                let first = batch.batch.record_at(batch.first()).offset;
                (first, i64::from(batch.visible()))
            }
            other => panic!("{other:?}"),
        });
        ranges.collect()
    }

    #[test]
    fn what_lies_below_the_position_is_dropped() {
        let records = [wire(3, 4), wire(0, 3), wire(3, 4), wire(5, 4), wire(0, 9)].concat();
        assert_eq!(opened(records, 4), [(4, 3), (7, 2)]);
    }

    #[test]
    fn an_answer_without_a_whole_batch_is_an_error() {
        let mut buffer = assigned(1);
        let target = take_targets(&mut buffer).remove(0);
        let records = wire(0, 9);
        answer(&mut buffer, &target, records.slice(..records.len() - 1));
        let error = buffer.next_record().expect_err("nothing can be read");
        assert!(
            matches!(&error, FetchError::Corrupt { offset: 0, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("cut short"), "{error}");
    }

    #[test]
    fn what_is_not_small_is_left_to_another_thread() {
        let mut builder = BatchBuilder::new(64);
        builder.append(0, None, Some(&[0; 100_000]), &[]);
        let sealed = builder
            .seal(
                kafkars_records::Codec::Gzip.into(),
                ProducerFields::default(),
            )
            .expect("seals");
        assert!(sealed.bytes.len() < 1_000);
        let records = [&wire(0, 1)[..], &wire(1, 1)].concat();
        let raw = batches(sealed.bytes).next().expect("one").expect("whole");
        let large = raw.with_position(2, 0).expect("magic 2");
        let mut opening = Opening::new(OpenJob {
            partition: partition(0),
            from: FetchPosition::at(0),
            response: ResponseMemory::new(1 << 20),
            records: [&records[..], large.bytes()].concat().into(),
            aborted: Vec::new(),
            isolation: IsolationLevel::ReadCommitted,
        });
        let (parts, outcome) = opening.open_small(&ReadLimits::default(), 16 << 10);
        assert_eq!((parts.len(), outcome.is_err()), (2, true));
        assert_eq!(opening.at().offset, 2);
        let parts = opening.open(&ReadLimits::default(), usize::MAX);
        assert_eq!((parts.len(), opening.is_done()), (1, true));
    }

    #[test]
    fn answers_wait_unopened_while_the_application_has_enough() {
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 500);
        buffer.assign(vec![(partition(0), Some(FetchPosition::at(0)))]);
        let target = take_targets(&mut buffer).remove(0);
        let records = [wire(0, 1), wire(1, 1), wire(2, 1), wire(3, 1)].concat();
        answer(&mut buffer, &target, records.into());
        assert!(!buffer.can_open());
        let mut seen = Vec::new();
        while let Some(taken) = buffer.next_record().expect("no error") {
            seen.push(taken.view.offset);
            assert!(buffer.can_open() || taken.view.offset >= 1);
            open_all(&mut buffer);
        }
        assert_eq!(seen, [0, 1, 2, 3]);
    }

    /// More would only take memory: what is asked for comes sooner than it is opened.
    #[test]
    fn a_partition_is_one_answer_ahead_of_what_is_opened() {
        let large = |base_offset| {
            let mut builder = BatchBuilder::new(64);
            builder.append(1_000, None, Some(&[7; 200_000]), &[]);
            let sealed = builder
                .seal(Compression::default(), ProducerFields::default())
                .expect("seals");
            let raw = batches(sealed.bytes).next().expect("one").expect("whole");
            let raw = raw.with_position(base_offset, 3).expect("the offset fits");
            raw.bytes().clone()
        };
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 32 << 20);
        let both = [partition(0), partition(1)];
        buffer.assign(both.map(|one| (one, Some(FetchPosition::at(0)))).into());
        for offset in 0..2 {
            let targets = take_targets(&mut buffer);
            assert_eq!(targets.len(), 2);
            buffer.landed(&targets);
            assert!(buffer.admit(&targets[0], job(&targets[0], large(offset))));
            // The other partition has little, and does not wait for this one.
            assert!(buffer.admit(&targets[1], job(&targets[1], wire(offset, 1))));
        }
        let targets = take_targets(&mut buffer);
        assert_eq!(targets.len(), 1);
        assert_eq!(targets[0].partition, partition(1));
        assert!(!buffer.has_caught_up());
        open_all(&mut buffer);
        assert!(buffer.has_caught_up());
        assert!(!buffer.has_caught_up(), "it is told once");
        let targets = take_targets(&mut buffer);
        assert_eq!(targets[0].partition, partition(0));
        assert_eq!(targets[0].from.offset, 2);
    }
}

mod many {
    use super::*;

    const MANY: i32 = 100_000;

    /// Quadratic work would take minutes.
    const LIMIT: Duration = Duration::from_secs(40);

    #[test]
    fn assigning_pausing_and_removing_many_partitions_is_linear() {
        let started = Instant::now();
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 30);
        let all: Vec<_> = (0..MANY).map(partition).collect();
        let places = || {
            all.iter()
                .map(|one| (one.clone(), Some(FetchPosition::at(0))))
        };
        for _ in 0..2 {
            buffer.assign(places().collect());
            for target in buffer.take_targets(started, |_| true) {
                let error = FetchError::NoOffset {
                    partition: target.partition.clone(),
                };
                buffer.fail(target.id, target.epoch, error);
            }
            assert!(buffer.is_ready());
            for one in &all {
                buffer.set_paused(one, true).expect("assigned");
            }
            assert!(!buffer.is_ready());
            for one in &all {
                buffer.set_paused(one, false).expect("assigned");
            }
            buffer.remove(&all);
            assert_eq!((buffer.assigned(), buffer.is_ready()), (0, false));
        }
        buffer.assign(places().collect());
        let took = started.elapsed();
        assert!(took < LIMIT, "{took:?}");
    }
}
