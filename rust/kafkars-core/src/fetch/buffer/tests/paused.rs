//! Partitions that are paused while their data waits.

use super::*;

/// A buffer with room for less than two batches of ten records, two partitions, of which the first is paused and
/// full.
fn blocked() -> FetchBuffer {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 600);
    let positions = (0..2).map(|number| (partition(number), Some(FetchPosition::at(0))));
    buffer.assign(positions.collect());
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

/// Two partitions that fill the buffer take turns after every record.
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

/// The check was about more than is left after dropping, so the rest is checked again.
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
