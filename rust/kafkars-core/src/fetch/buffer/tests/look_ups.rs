//! Positions that are looked up together.

use super::*;

const PARTITIONS: i32 = 50;
const SECONDS: u64 = 60;

fn unset() -> FetchBuffer {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 20);
    let all = (0..PARTITIONS).map(|number| (partition(number), None));
    buffer.assign(all.collect());
    buffer
}

fn take(buffer: &mut FetchBuffer, now: Instant, source: LookUpSource) -> Vec<LookUp> {
    buffer.take_look_ups(now, |_, _| Some(source.clone()))
}

fn refuse(buffer: &mut FetchBuffer, now: Instant, look_ups: &[LookUp]) {
    for look_up in look_ups {
        buffer.ended(look_up).expect("it has no position");
        buffer.refused(look_up.id, look_up.epoch, now, "look-up", "no");
    }
}

#[test]
fn what_was_refused_together_is_asked_for_together_again() {
    let mut buffer = unset();
    let start = Instant::now();
    let mut requests = 0;
    for millisecond in 0..SECONDS * 1_000 {
        let now = start + Duration::from_millis(millisecond);
        let look_ups = take(&mut buffer, now, LookUpSource::Coordinator);
        if !look_ups.is_empty() {
            requests += 1;
            assert_eq!(look_ups.len(), PARTITIONS as usize);
            refuse(&mut buffer, now, &look_ups);
        }
    }
    assert!((SECONDS..SECONDS + 20).contains(&requests), "{requests}");
}

/// As when partitions are assigned one after the other, or a broker refuses some of those that were asked for.
#[test]
fn what_was_refused_at_different_moments_comes_together() {
    let mut buffer = unset();
    let start = Instant::now();
    let source = LookUpSource::Leader(3);
    let mut apart = take(&mut buffer, start, source.clone());
    let mut requests = 0;
    for millisecond in 0..SECONDS * 1_000 {
        let now = start + Duration::from_millis(millisecond);
        let look_ups = take(&mut buffer, now, source.clone());
        if !look_ups.is_empty() {
            requests += 1;
            refuse(&mut buffer, now, &look_ups);
        }
        if let Some(look_up) = apart.pop() {
            refuse(&mut buffer, now, &[look_up]);
        }
    }
    assert!((SECONDS..SECONDS + 40).contains(&requests), "{requests}");
}

#[test]
fn what_another_source_is_asked_for_keeps_its_pause() {
    let mut buffer = unset();
    let start = Instant::now();
    let by_leader =
        |partition: &TopicPartition, _| Some(LookUpSource::Leader(partition.partition % 2));
    let mut look_ups = buffer.take_look_ups(start, by_leader);
    let (first, others): (Vec<_>, Vec<_>) = look_ups
        .drain(..)
        .partition(|one| one.partition == partition(0));
    refuse(&mut buffer, start, &others);
    let later = start + Duration::from_millis(1);
    buffer.ended(&first[0]).expect("it has no position");
    let taken = buffer.take_look_ups(later, by_leader);
    assert_eq!(taken.len(), PARTITIONS as usize / 2);
    assert!(
        taken
            .iter()
            .all(|one| one.source == LookUpSource::Leader(0))
    );
}
