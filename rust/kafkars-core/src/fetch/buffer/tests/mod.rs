//! The fetch buffer driven as application and network drive it, on data built by the batch builder.

mod chosen;
mod errors;
mod kept;
mod look_ups;
mod many;
mod opening;
mod paused;
mod position_errors;
mod progress;
mod responses;
mod transactions;
mod unwanted;

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_records::{BatchBuilder, Compression, ProducerFields, ReadLimits, batches};

use super::*;
use crate::config::{AutoOffsetReset, IsolationLevel, TopicPartition};
use crate::fetch::cursor::{CursorState, StartAt};
use crate::fetch::error::FetchError;
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

/// Does what the network does with a response for one partition, and opens it.
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

/// Opens all responses.
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
fn what_was_taken_tells_whether_the_application_has_gone_elsewhere_since() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, wire(0, 4));
    let taken = buffer.take(2).expect("ready")[0].place;
    assert_eq!(buffer.place(&partition(0)), Some(taken));
    buffer.set_paused(&partition(0), true).expect("assigned");
    buffer.set_paused(&partition(0), false).expect("assigned");
    let target = take_targets(&mut buffer).remove(0);
    buffer.out_of_range(&target, Instant::now());
    assert_eq!(
        buffer.place(&partition(0)),
        Some(taken),
        "the log has moved the position"
    );
    let mut places = vec![taken];
    buffer
        .seek(&partition(0), FetchPosition::at(0))
        .expect("assigned");
    places.extend(buffer.place(&partition(0)));
    buffer
        .seek_to(&partition(0), StartAt::Latest)
        .expect("assigned");
    places.extend(buffer.place(&partition(0)));
    buffer.remove(&[partition(0)]);
    assert_eq!(buffer.place(&partition(0)), None);
    buffer.add(vec![(partition(0), Some(FetchPosition::at(0)))]);
    places.extend(buffer.place(&partition(0)));
    buffer.add(vec![(partition(0), Some(FetchPosition::at(1)))]);
    places.extend(buffer.place(&partition(0)));
    assert_eq!(places.len(), 5);
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 5, "each is another place: {places:?}");
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
