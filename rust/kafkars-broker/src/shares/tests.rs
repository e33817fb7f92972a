//! Records of one partition, as they are delivered to members and acknowledged.

use kafkars_protocol::ErrorCode;

use super::acknowledgement::{AcknowledgeType, ShareAcknowledgement};
use super::partition::{Demand, ShareLimits, SharePartition, Stretch};

const LIMITS: ShareLimits = ShareLimits {
    lock_ms: 1000,
    deliveries: 2,
    in_flight: 100,
};

fn demand(member: &str, max_records: i64) -> Demand<'_> {
    Demand {
        member,
        max_records,
        batch_size: 100,
        exact: false,
    }
}

fn stretches(batches: &[(i64, i64)]) -> impl Iterator<Item = Stretch> + '_ {
    batches.iter().map(|(first, last)| Stretch {
        first: *first,
        last: *last,
        aborted: false,
    })
}

fn acquire(
    shared: &mut SharePartition,
    member: &str,
    max_records: i64,
    batches: &[(i64, i64)],
) -> Vec<(i64, i64, i16)> {
    let told = shared.acquire(&demand(member, max_records), stretches(batches), 0, LIMITS);
    told.iter()
        .map(|it| (it.first_offset, it.last_offset, it.delivery_count))
        .collect()
}

fn say(first: i64, last: i64, kind: AcknowledgeType) -> ShareAcknowledgement {
    ShareAcknowledgement { first, last, kind }
}

fn acknowledge(
    shared: &mut SharePartition,
    member: &str,
    said: &[ShareAcknowledgement],
) -> Result<(), ErrorCode> {
    shared.acknowledge(member, said, 500, LIMITS)
}

#[test]
fn members_get_different_records() {
    let mut shared = SharePartition::new(0);
    assert_eq!(
        acquire(&mut shared, "a", 3, &[(0, 1), (2, 3), (4, 5)]),
        [(0, 3, 1)]
    );
    assert_eq!(shared.next_offset(LIMITS), Some(4));
    assert_eq!(acquire(&mut shared, "b", 9, &[(4, 5)]), [(4, 5, 1)]);
    assert_eq!(acquire(&mut shared, "b", 9, &[(0, 1), (2, 3)]), []);
}

#[test]
fn a_batch_may_be_cut_when_the_member_asks_for_it() {
    let mut shared = SharePartition::new(0);
    let exactly = Demand {
        exact: true,
        ..demand("a", 3)
    };
    let told = shared.acquire(&exactly, stretches(&[(0, 9)]), 0, LIMITS);
    assert_eq!((told[0].first_offset, told[0].last_offset), (0, 2));
    assert_eq!(shared.next_offset(LIMITS), Some(3));
}

#[test]
fn what_is_released_comes_again_and_not_for_ever() {
    let mut shared = SharePartition::new(0);
    acquire(&mut shared, "a", 9, &[(0, 3)]);
    acknowledge(&mut shared, "a", &[say(1, 2, AcknowledgeType::Release)]).unwrap();
    assert_eq!(shared.next_offset(LIMITS), Some(1));
    assert_eq!(acquire(&mut shared, "b", 9, &[(0, 3)]), [(1, 2, 2)]);
    acknowledge(&mut shared, "b", &[say(1, 2, AcknowledgeType::Release)]).unwrap();
    assert_eq!(
        shared.next_offset(LIMITS),
        Some(4),
        "delivered twice is enough"
    );
}

#[test]
fn the_start_moves_when_everything_before_is_done() {
    let mut shared = SharePartition::new(0);
    acquire(&mut shared, "a", 9, &[(0, 5)]);
    acknowledge(&mut shared, "a", &[say(2, 3, AcknowledgeType::Accept)]).unwrap();
    assert_eq!((shared.start(), shared.lag(10)), (0, 8));
    let said = [
        say(0, 0, AcknowledgeType::Reject),
        say(1, 1, AcknowledgeType::Gap),
    ];
    acknowledge(&mut shared, "a", &said).unwrap();
    assert_eq!((shared.start(), shared.lag(10)), (4, 6));
    acknowledge(&mut shared, "a", &[say(0, 3, AcknowledgeType::Accept)]).unwrap();
}

#[test]
fn only_the_owner_decides_and_only_as_a_whole() {
    let mut shared = SharePartition::new(0);
    acquire(&mut shared, "a", 1, &[(0, 1)]);
    acquire(&mut shared, "b", 9, &[(2, 3)]);
    let code = acknowledge(&mut shared, "a", &[say(0, 3, AcknowledgeType::Accept)]);
    assert_eq!(code, Err(ErrorCode::InvalidRecordState));
    assert_eq!(shared.start(), 0);
    let code = acknowledge(&mut shared, "a", &[say(0, 4, AcknowledgeType::Accept)]);
    assert_eq!(code, Err(ErrorCode::InvalidRequest));
}

#[test]
fn locks_run_out_and_are_renewed() {
    let mut shared = SharePartition::new(0);
    acquire(&mut shared, "a", 9, &[(0, 3)]);
    acknowledge(&mut shared, "a", &[say(2, 3, AcknowledgeType::Renew)]).unwrap();
    assert_eq!(shared.deadline(), Some(1000));
    shared.advance(1000, 0, LIMITS);
    assert_eq!(shared.deadline(), Some(1500));
    assert_eq!(acquire(&mut shared, "b", 9, &[(0, 3)]), [(0, 1, 2)]);
    let code = acknowledge(&mut shared, "a", &[say(0, 1, AcknowledgeType::Accept)]);
    assert_eq!(code, Err(ErrorCode::InvalidRecordState));
}

#[test]
fn records_in_flight_are_limited() {
    let mut shared = SharePartition::new(0);
    acquire(&mut shared, "a", 1000, &[(0, 99)]);
    assert_eq!(shared.next_offset(LIMITS), None);
    assert_eq!(acquire(&mut shared, "a", 1000, &[(100, 199)]), []);
    assert!(shared.release_all("a", LIMITS));
    assert_eq!(shared.next_offset(LIMITS), Some(0));
}

#[test]
fn what_the_log_has_lost_is_forgotten() {
    let mut shared = SharePartition::new(0);
    acquire(&mut shared, "a", 9, &[(0, 3)]);
    shared.advance(0, 2, LIMITS);
    assert_eq!(shared.start(), 2);
    acknowledge(&mut shared, "a", &[say(0, 3, AcknowledgeType::Accept)]).unwrap();
    shared.advance(0, 50, LIMITS);
    assert_eq!(shared.next_offset(LIMITS), Some(50));
    assert_eq!(acquire(&mut shared, "a", 9, &[(60, 61)]), [(60, 61, 1)]);
    acknowledge(&mut shared, "a", &[say(60, 61, AcknowledgeType::Accept)]).unwrap();
    assert_eq!(shared.start(), 62);
}
