//! The memory of responses that many partitions share.

use super::*;

const RESPONSE: usize = 1 << 20;

/// A wire batch of one uncompressed record of `size` bytes.
fn large(base_offset: i64, size: usize) -> Vec<u8> {
    let mut builder = BatchBuilder::new(64);
    builder.append(1_000, None, Some(&vec![7; size]), &[]);
    let sealed = builder
        .seal(Compression::default(), ProducerFields::default())
        .expect("an uncompressed batch seals");
    let raw = batches(sealed.bytes).next().expect("one").expect("whole");
    let placed = raw.with_position(base_offset, 3).expect("magic 2");
    placed.bytes().to_vec()
}

/// Two partitions whose parts came in one response of a mebibyte.
fn shared() -> FetchBuffer {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 4 * RESPONSE);
    let positions = (0..2).map(|number| (partition(number), Some(FetchPosition::at(0))));
    buffer.assign(positions.collect());
    let response = ResponseMemory::new(RESPONSE);
    for target in take_targets(&mut buffer) {
        buffer.landed(std::slice::from_ref(&target));
        let records = [large(0, 20_000), large(1, 20_000)].concat();
        let job = OpenJob {
            response: Arc::clone(&response),
            ..job(&target, records.into())
        };
        assert!(buffer.admit(&target, job));
    }
    buffer
}

#[test]
fn a_response_counts_once_and_until_nothing_waits_in_it() {
    let mut buffer = shared();
    assert_eq!(buffer.buffered(), RESPONSE);
    open_all(&mut buffer);
    for left in (0..4).rev() {
        buffer.next_record().expect("no error").expect("a record");
        let whole = if left > 0 { RESPONSE } else { 0 };
        let held = buffer.buffered();
        assert!(
            (whole..=whole + 8_192).contains(&held),
            "{held} with {left} left"
        );
    }
    assert_eq!(buffer.buffered(), 0);
}

#[test]
fn a_response_of_dropped_partitions_counts_no_longer() {
    for drop_both in [
        |buffer: &mut FetchBuffer| buffer.remove(&[partition(0), partition(1)]),
        |buffer: &mut FetchBuffer| {
            for number in 0..2 {
                let sought = buffer.seek(&partition(number), FetchPosition::at(0));
                sought.expect("assigned");
            }
        },
    ] {
        let mut buffer = shared();
        let task = buffer.start_opening().expect("there is something to open");
        drop_both(&mut buffer);
        assert_eq!(buffer.buffered(), 0);
        buffer.opened(task, Vec::new());
        assert_eq!(buffer.buffered(), 0);

        let mut buffer = shared();
        open_all(&mut buffer);
        buffer.next_record().expect("no error").expect("a record");
        drop_both(&mut buffer);
        assert_eq!(buffer.buffered(), 0);
    }
}

#[test]
fn a_batch_that_is_put_back_counts_again() {
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, 4 * RESPONSE);
    buffer.assign(vec![(partition(0), Some(FetchPosition::at(0)))]);
    let target = take_targets(&mut buffer).remove(0);
    buffer.landed(std::slice::from_ref(&target));
    let mut builder = BatchBuilder::new(64);
    for _ in 0..2 {
        builder.append(1_000, None, Some(&[7; 20_000]), &[]);
    }
    let sealed = builder.seal(Compression::default(), ProducerFields::default());
    let job = OpenJob {
        response: ResponseMemory::new(RESPONSE),
        ..job(&target, sealed.expect("seals").bytes)
    };
    assert!(buffer.admit(&target, job));
    open_all(&mut buffer);
    buffer.next_record().expect("no error").expect("a record");
    assert_eq!(buffer.buffered(), 0, "what is handed out does not wait");
    buffer.set_paused(&partition(0), true).expect("assigned");
    assert!(buffer.buffered() >= RESPONSE);
    buffer.set_paused(&partition(0), false).expect("assigned");
    assert_eq!(offsets(&mut buffer), [(0, 1)]);
    assert_eq!(buffer.buffered(), 0);
}
