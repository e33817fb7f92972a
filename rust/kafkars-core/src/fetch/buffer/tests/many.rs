//! A hundred thousand partitions: no step may take time that grows with the square of them.

use super::*;

const MANY: i32 = 100_000;

/// Quadratic work would take minutes.
const LIMIT: Duration = Duration::from_secs(40);

#[test]
fn assigning_pausing_and_removing_many_partitions_is_linear() {
    let started = Instant::now();
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 1 << 30);
    let all: Vec<_> = (0..MANY).map(partition).collect();
    let positions = || {
        all.iter()
            .map(|one| (one.clone(), Some(FetchPosition::at(0))))
    };
    for _ in 0..2 {
        buffer.assign(positions().collect());
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
    buffer.assign(positions().collect());
    let took = started.elapsed();
    assert!(took < LIMIT, "{took:?}");
}
