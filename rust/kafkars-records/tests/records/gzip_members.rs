//! Gzip streams of very many members: the cost of each is that of its own bytes, not of the output so far.

use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

use flate2::{Compression, Decompress, FlushDecompress, GzBuilder, Status, write::GzEncoder};
use kafkars_records::{Codec, DecompressError, decompress};

const LIMIT: usize = 1 << 20;

fn member(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

/// The processor time of this thread: other work on the machine makes the test last longer, but its figures not larger.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Standard Rust has no processor time, so elsewhere the wall clock is used.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

fn least(mut work: impl FnMut()) -> Duration {
    let times = (0..5).map(|_| {
        let started = processor_time();
        work();
        processor_time() - started
    });
    times.min().unwrap_or_default()
}

/// The slow way of earlier versions: a decompressor for each member, and each zeroes all spare room.
fn quadratic(mut input: &[u8]) -> Vec<u8> {
    let mut output = Vec::with_capacity(4 * input.len());
    while !input.is_empty() {
        let mut decompressor = Decompress::new_gzip(15);
        let status = decompressor.decompress_vec(input, &mut output, FlushDecompress::None);
        assert!(matches!(status, Ok(Status::StreamEnd)));
        input = &input[decompressor.total_in() as usize..];
    }
    output
}

#[test]
fn many_members_cost_what_their_bytes_cost() {
    let members = |count: usize| member(b"x").repeat(count);
    let (few, many) = (members(2_000), members(16_000));
    assert_eq!(decompress(Codec::Gzip, &many, LIMIT).unwrap().len(), 16_000);
    let ours = |input: &[u8]| least(|| drop(black_box(decompress(Codec::Gzip, input, LIMIT))));
    let (short, long) = (ours(&few), ours(&many));
    // Eight times the members take eight times the work, and not sixty-four times.
    assert!(
        long < 24 * short,
        "{short:?} for 2,000, {long:?} for 16,000"
    );

    assert_eq!(quadratic(&few).len(), 2_000);
    let theirs = least(|| drop(black_box(quadratic(&many))));
    assert!(
        theirs > 3 * long,
        "the old way is not noticed: {theirs:?}, ours {long:?}"
    );
}

#[test]
fn members_with_every_part_of_a_header_are_read() {
    let mut named = GzBuilder::new()
        .filename("name")
        .comment("comment")
        .extra(b"extra".to_vec())
        .write(Vec::new(), Compression::default());
    named.write_all(b"one, ").unwrap();
    let stream = [named.finish().unwrap(), member(b""), member(b"two")].concat();
    let content = decompress(Codec::Gzip, &stream, LIMIT).unwrap();
    assert_eq!(content, b"one, two");
}

#[test]
fn damaged_members_are_errors() {
    let good = [member(b"one"), member(b"two")].concat();
    for length in 1..good.len() {
        if length == good.len() / 2 {
            continue; // the first member is whole
        }
        let cut = decompress(Codec::Gzip, &good[..length], LIMIT);
        assert!(
            matches!(cut, Err(DecompressError::Corrupt(_))),
            "{length}: {cut:?}"
        );
    }
    // Method, flags, content, checksum, length.
    for at in [2, 3, 12, good.len() - 8, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 0xe0;
        let result = decompress(Codec::Gzip, &bad, LIMIT);
        assert!(
            matches!(result, Err(DecompressError::Corrupt(_))),
            "{at}: {result:?}"
        );
    }
}
