//! Transactions, read committed and uncommitted.

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

#[test]
fn passing_markers_alone_is_known_until_the_next_seek() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    assert!(!buffer.has_passed(&partition(0)));
    let records = [transactional(0, 1), marker(1, 1, true)].concat();
    answer(&mut buffer, &target, records.into());
    assert!(!buffer.has_passed(&partition(0)));
    assert_eq!(offsets(&mut buffer), [(0, 0)]);
    assert!(buffer.has_passed(&partition(0)));
    buffer
        .seek(&partition(0), FetchPosition::at(1))
        .expect("assigned");
    assert!(!buffer.has_passed(&partition(0)));
}

#[test]
fn markers_are_passed_by_who_asks_and_not_by_who_is_elsewhere_or_has_paused() {
    let mut buffer = assigned(1);
    let target = take_targets(&mut buffer).remove(0);
    answer(&mut buffer, &target, marker(0, 1, true).into());
    let cursor = buffer.cursor(&partition(0)).expect("assigned");
    assert_eq!(cursor.position(), Some(1));
    assert!(!buffer.has_passed(&partition(0)));
    buffer.set_paused(&partition(0), true).expect("assigned");
    assert_eq!(offsets(&mut buffer), []);
    assert!(!buffer.has_passed(&partition(0)));
    buffer.set_paused(&partition(0), false).expect("assigned");
    assert!(!buffer.has_passed(&partition(0)));
    assert_eq!(offsets(&mut buffer), []);
    assert!(buffer.has_passed(&partition(0)));
}
