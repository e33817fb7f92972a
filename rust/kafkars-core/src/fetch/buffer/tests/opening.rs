//! Responses opened batch by batch.

use super::*;
use crate::fetch::opening::Opening;

/// Takes everything that comes out of one response.
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

/// More would only take memory, because responses come sooner than they are opened.
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
