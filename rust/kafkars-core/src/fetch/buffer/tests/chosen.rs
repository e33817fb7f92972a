//! Taking records of some partitions only.

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
    let positions = (0..2).map(|number| (partition(number), Some(FetchPosition::at(0))));
    buffer.assign(positions.collect());
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
    let positions = (0..4).map(|number| (partition(number), Some(FetchPosition::at(0))));
    buffer.assign(positions.collect());
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
    // A partition that is not fetched must not count as silent.
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
    let positions = (0..PARTITIONS).map(|number| (partition(number), Some(FetchPosition::at(0))));
    buffer.assign(positions.collect());
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
                // A response has few partitions: the one that is wanted, and others.
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
    // Data of a request before the buffer was full, and of nine partitions beyond that.
    let bound = LIMIT + (4 + 9) * (size + size / 2);
    assert!(most < bound, "{most} bytes, and not below {bound}");
}

#[test]
fn what_is_asked_for_in_vain_stands_whatever_else_is_asked_or_taken() {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1);
    let positions = (0..4).map(|number| (partition(number), Some(FetchPosition::at(0))));
    buffer.assign(positions.collect());
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
