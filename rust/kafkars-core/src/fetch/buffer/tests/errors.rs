//! Errors after records: when each is handed out.

use super::*;
use crate::fetch::error::FetchError;

/// A partition with an opened response, one that is not opened, and an error after both.
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
