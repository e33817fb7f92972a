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

/// When the application takes the errors that wait for it.
#[derive(Debug, Clone, Copy)]
enum Takes {
    AtOnce,
    OneInMilliseconds(u64),
    Never,
}

const PACES: [Takes; 4] = [
    Takes::AtOnce,
    Takes::OneInMilliseconds(10),
    Takes::OneInMilliseconds(1_000),
    Takes::Never,
];

impl Takes {
    /// Returns how many errors it takes in this millisecond.
    fn take(self, buffer: &mut FetchBuffer, millisecond: u64) -> usize {
        let most = match self {
            Self::AtOnce => usize::MAX,
            Self::OneInMilliseconds(step) => usize::from(millisecond.is_multiple_of(step)),
            Self::Never => 0,
        };
        (0..most)
            .take_while(|_| buffer.next_record().is_err())
            .count()
    }
}

/// Lets `ask` look whenever the network does, when a pause ends or an error was taken; it returns how many partitions
/// were asked for. Returns how many requests there were in a minute.
fn count(
    buffer: &mut FetchBuffer,
    takes: Takes,
    mut ask: impl FnMut(&mut FetchBuffer, Instant) -> usize,
) -> u64 {
    let start = Instant::now();
    let (mut requests, mut wake) = (0, Some(start));
    for millisecond in 0..SECONDS * 1_000 {
        let now = start + Duration::from_millis(millisecond);
        let taken = takes.take(buffer, millisecond);
        if taken > 0 || wake.is_some_and(|wake| wake <= now) {
            requests += u64::from(ask(buffer, now) > 0);
            wake = buffer.next_wake(now);
        }
    }
    requests
}

fn assert_paced(requests: u64, partitions: i32, takes: Takes) {
    let expected = match takes {
        Takes::Never => 1..=1,
        Takes::AtOnce | Takes::OneInMilliseconds(_) => SECONDS / 3..=SECONDS + 15,
    };
    assert!(
        expected.contains(&requests),
        "{requests} for {partitions} partitions, taken {takes:?}"
    );
}

fn denied() -> FetchError {
    FetchError::Topic {
        topic: "t".into(),
        code: kafkars_protocol::ErrorCode::TopicAuthorizationFailed,
    }
}

fn member(policy: AutoOffsetReset, partitions: i32) -> FetchBuffer {
    let mut buffer = FetchBuffer::new(policy, 1 << 20);
    buffer.start_from_committed();
    let all = (0..partitions).map(|number| (partition(number), None));
    buffer.assign(all.collect());
    buffer
}

fn by_start(_: &TopicPartition, start: StartAt) -> Option<LookUpSource> {
    Some(match start {
        StartAt::Committed => LookUpSource::Coordinator,
        _ => LookUpSource::Leader(1),
    })
}

/// Answers look-ups: what is asked for at `denying` is refused for good, and the coordinator knows no offset. Returns
/// how many were refused.
fn deny(buffer: &mut FetchBuffer, now: Instant, denying: StartAt) -> usize {
    let mut refused = 0;
    loop {
        let look_ups = buffer.take_look_ups(now, by_start);
        if look_ups.is_empty() {
            return refused;
        }
        for look_up in look_ups {
            if look_up.start == denying {
                refused += 1;
                buffer.ended(&look_up).expect("it has no position");
                let (id, epoch) = (look_up.id, look_up.epoch);
                buffer.refused_for_good(id, epoch, now, "look-up", denied());
            } else {
                buffer.start_by_policy(&look_up);
            }
        }
    }
}

#[test]
fn what_is_refused_for_good_is_asked_for_together_however_slowly_the_errors_are_taken() {
    for partitions in [1, 30, 300] {
        for policy in [AutoOffsetReset::Earliest, AutoOffsetReset::None] {
            for denying in [StartAt::Committed, StartAt::Policy] {
                for takes in PACES {
                    let mut buffer = member(policy, partitions);
                    let deny = |buffer: &mut FetchBuffer, now| deny(buffer, now, denying);
                    assert_paced(count(&mut buffer, takes, deny), partitions, takes);
                }
            }
        }
    }
}

#[test]
fn checks_that_are_refused_for_good_are_made_together_however_slowly_the_errors_are_taken() {
    let read = FetchPosition {
        offset: 20,
        leader_epoch: 3,
    };
    for partitions in [1, 30, 300] {
        for takes in PACES {
            let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 20);
            let all = (0..partitions).map(|number| (partition(number), Some(read)));
            buffer.assign(all.collect());
            let requests = count(&mut buffer, takes, |buffer, now| {
                let checks = buffer.take_validations(now, |_| Some((1, 4)));
                for check in &checks {
                    buffer.validated(check, None, now);
                    buffer.refused_for_good(check.id, check.epoch, now, "check", denied());
                }
                checks.len()
            });
            assert_paced(requests, partitions, takes);
        }
    }
}

#[test]
fn what_is_refused_for_good_holds_up_nothing_else() {
    let mut buffer = member(AutoOffsetReset::Earliest, 30);
    let asked = |buffer: &mut FetchBuffer, now| {
        let look_ups = buffer.take_look_ups(now, by_start);
        let mut asked: Vec<i32> = look_ups.iter().map(|one| one.partition.partition).collect();
        asked.sort_unstable();
        (asked, look_ups)
    };
    let start = Instant::now();
    for second in 0..20 {
        deny(
            &mut buffer,
            start + Duration::from_secs(2 * second),
            StartAt::Committed,
        );
        buffer.next_record().expect_err("it is refused");
    }
    // The coordinator was asked about one just now, and may not be for a while.
    let now = start + Duration::from_secs(40);
    assert_eq!(deny(&mut buffer, now, StartAt::Committed), 1);
    buffer.next_record().expect_err("it is refused");
    let soon = now + Duration::from_millis(1);
    assert_eq!(asked(&mut buffer, soon).0, []);
    // What is assigned, or sought, is asked for at once.
    buffer.add(vec![(partition(40), None)]);
    let (numbers, look_ups) = asked(&mut buffer, soon);
    assert!(numbers.contains(&40), "{numbers:?}");
    for look_up in &look_ups {
        let (id, epoch) = (look_up.id, look_up.epoch);
        buffer.ended(look_up).expect("it has no position");
        match look_up.partition.partition {
            40 => buffer.refused(id, epoch, soon, "look-up", "unstable"),
            _ => buffer.refused_for_good(id, epoch, soon, "look-up", denied()),
        }
    }
    // What may be told soon is asked for after its own pause.
    let wake = buffer.next_wake(soon).expect("a pause");
    assert!(wake <= soon + Duration::from_millis(120));
    assert!(asked(&mut buffer, wake).0.contains(&40));
    let sought = partition(7);
    buffer
        .seek_to(&sought, StartAt::Earliest)
        .expect("assigned");
    assert!(
        asked(&mut buffer, wake + Duration::from_millis(1))
            .0
            .contains(&7)
    );
}
