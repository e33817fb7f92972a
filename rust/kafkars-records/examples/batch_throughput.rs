//! Prints what appending, sealing, opening and iterating cost, in nanoseconds per record of 100 bytes with a key.
//!
//! `cargo run --release -p kafkars-records --example batch_throughput`
#![expect(clippy::print_stdout, reason = "printing is what this program is for")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use kafkars_records::{
    BatchBuilder, Codec, Compression, ProducerFields, ReadLimits, RecordView, Span, batches,
};

const RECORDS: usize = 10_000;

fn main() {
    let values: Vec<_> = (0..RECORDS).map(value).collect();
    let keys: Vec<_> = (0..RECORDS)
        .map(|index| format!("key-{index:06}"))
        .collect();
    let build = || {
        let mut builder = BatchBuilder::new(1 << 21);
        for (key, value) in keys.iter().zip(&values) {
            builder.append(1_700_000_000_000, Some(key.as_bytes()), Some(value), &[]);
        }
        builder
    };
    print("append", best(|| drop(black_box(build()))));

    let plain = build();
    for (codec, level) in [
        (Codec::None, None),
        (Codec::Gzip, None),
        (Codec::Gzip, Some(1)),
        (Codec::Snappy, None),
        (Codec::Lz4, None),
        (Codec::Zstd, None),
    ] {
        let compression = Compression::new(codec, level).unwrap_or_default();
        let name = format!(
            "{codec} {}",
            level.map_or_else(String::new, |level| level.to_string())
        );
        let mut sealed = Vec::new();
        let copy = best(|| drop(black_box(plain.clone())));
        let seal = best(|| {
            sealed = plain
                .clone()
                .seal(compression, ProducerFields::default())
                .into_iter()
                .collect()
        });
        print(&format!("seal {name}"), seal.saturating_sub(copy));
        let Some(bytes) = sealed.first().map(|sealed| sealed.bytes.clone()) else {
            continue;
        };
        println!("  {} of {} bytes", bytes.len(), plain.len());

        let Some(Ok(raw)) = batches(bytes).next() else {
            continue;
        };
        print(
            &format!("check CRC {name}"),
            best(|| assert!(black_box(&raw).verify_crc().is_ok())),
        );
        let limits = ReadLimits::default();
        print(
            &format!("open {name}"),
            best(|| assert!(black_box(&raw).open(&limits).is_ok())),
        );
        let Ok(batch) = raw.open(&limits) else {
            continue;
        };
        let walk = best(|| {
            let touched = |view: RecordView| {
                view.offset as usize
                    + view.key.map_or(0, Span::len)
                    + view.value.map_or(0, Span::len)
            };
            black_box(black_box(&batch).records().map(touched).sum::<usize>());
        });
        print(&format!("walk {name}"), walk);
    }
    small(&values, &keys);
}

/// Measures batches of a few records, where the fixed costs of a batch count.
fn small(values: &[Vec<u8>], keys: &[String]) {
    for codec in [
        Codec::None,
        Codec::Gzip,
        Codec::Snappy,
        Codec::Lz4,
        Codec::Zstd,
    ] {
        let mut bytes = Vec::new();
        let seal = best(|| {
            let mut builder = BatchBuilder::new(1 << 10);
            for (key, value) in keys.iter().zip(values).take(5) {
                builder.append(0, Some(key.as_bytes()), Some(value), &[]);
            }
            bytes = builder
                .seal(codec.into(), ProducerFields::default())
                .into_iter()
                .collect();
        });
        let open = best(|| {
            for sealed in &bytes {
                for raw in batches(sealed.bytes.clone()).flatten() {
                    assert!(raw.open(&ReadLimits::default()).is_ok());
                }
            }
        });
        println!("5 records, {codec}: append and seal {seal:?}, open {open:?} per batch");
    }
}

/// A value of 100 bytes that compresses about as well as JSON does.
fn value(index: usize) -> Vec<u8> {
    let text = format!(
        "{{\"id\":{index},\"user\":\"user-{}\",\"amount\":{},\"currency\":\"EUR\",\"note\":\"{:032x}\"}}",
        index % 97,
        index * 7919 % 10_007,
        (index as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_0c7b_2f4b_1d35)
    );
    let mut bytes = text.into_bytes();
    bytes.resize(100, b' ');
    bytes
}

fn print(name: &str, elapsed: Duration) {
    println!(
        "{name:<20} {:>8.2} ns per record",
        elapsed.as_secs_f64() * 1e9 / RECORDS as f64
    );
}

/// The shortest of many runs: the time that the work takes when nothing else disturbs it.
fn best(mut work: impl FnMut()) -> Duration {
    let deadline = Instant::now() + Duration::from_millis(400);
    let mut best = Duration::MAX;
    while Instant::now() < deadline {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
    }
    best
}
