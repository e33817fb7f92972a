//! Memory of reading malicious batches: nothing is reserved for a stated size or count, and decompression stops at the
//! limit. A binary of its own, because it counts every allocation of the process.
//!
//! Contexts of Zstandard are allocated in C and not counted; the library limits the window that a frame may ask for
//! (128 MiB, touched only as far as it is written).

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use kafkars_records::{
    BatchBuilder, Codec, Compression, DecompressError, ProducerFields, ReadLimits, RecordsError,
    batches, decompress,
};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is the system allocator's, with the arguments given; the counters are beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(
            NOW.fetch_add(layout.size(), Relaxed) + layout.size(),
            Relaxed,
        );
        // SAFETY: the caller's promises are those that the system allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The most bytes allocated at one time during `work`, beyond those from before.
fn peak_of(work: impl FnOnce()) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    PEAK.load(Relaxed) - before
}

#[test]
fn memory_follows_the_bytes_there_are_and_the_limit() {
    const LIMIT: usize = 1 << 20;
    let limits = ReadLimits {
        max_decompressed: LIMIT,
    };
    for codec in [Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd] {
        let bomb = bomb(codec);
        let raw = batches(bomb).next().unwrap().unwrap();
        let peak = peak_of(|| {
            let result = raw.open(&limits);
            assert!(
                matches!(
                    result,
                    Err(RecordsError::DecompressedTooLarge { limit: LIMIT, .. })
                ),
                "{codec}"
            );
        });
        // While a buffer grows, the old one still exists.
        assert!(peak <= 2 * LIMIT + (128 << 10), "{codec}: {peak}");
    }

    let mut lying = bomb(Codec::None).to_vec();
    lying[57..61].copy_from_slice(&i32::MAX.to_be_bytes());
    let crc = crc32c::crc32c(&lying[21..]);
    lying[17..21].copy_from_slice(&crc.to_be_bytes());
    let raw = batches(lying.into()).next().unwrap().unwrap();
    let peak = peak_of(|| {
        assert!(matches!(
            raw.open(&limits),
            Err(RecordsError::BadCount { .. })
        ))
    });
    assert!(peak < 1 << 10, "a stated count reserved {peak} bytes");

    for (codec, lie) in stated_sizes() {
        let peak = peak_of(|| {
            let result = decompress(codec, &lie, 1 << 30);
            assert!(
                matches!(result, Err(DecompressError::Corrupt(_))),
                "{codec}: {result:?}"
            );
        });
        assert!(
            peak < 2 << 20,
            "{codec}: {} bytes that state more reserved {peak}",
            lie.len()
        );
    }
}

/// A batch with 64 MiB of zeros in one record.
fn bomb(codec: Codec) -> bytes::Bytes {
    let mut builder = BatchBuilder::new(0);
    builder.append(0, None, Some(&vec![0; 64 << 20]), &[]);
    builder
        .seal(Compression::from(codec), ProducerFields::default())
        .unwrap()
        .bytes
}

/// A few compressed bytes that state a decompressed size of a gigabyte less one.
fn stated_sizes() -> Vec<(Codec, Vec<u8>)> {
    let snappy = vec![0xff, 0xff, 0xff, 0xff, 0x03, 0x00, b'x'];
    // Single segment, size in four bytes, then one raw block of one byte which is not the last.
    let zstd = [
        &[0x28, 0xb5, 0x2f, 0xfd, 0xa0][..],
        &((1_u32 << 30) - 1).to_le_bytes(),
        &[0x08, 0, 0, b'x'],
    ]
    .concat();
    // The size in the frame, the largest blocks, and a block of one byte; its check byte is found by trying.
    let lz4 = (0..=255).map(|check| {
        let size = ((1_u64 << 30) - 1).to_le_bytes();
        [
            &[0x04, 0x22, 0x4d, 0x18, 0x68, 0x70][..],
            &size,
            &[check],
            &(1_u32 | 1 << 31).to_le_bytes(),
            b"x",
            &[0; 4],
        ]
        .concat()
    });
    let gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 0x01, 0xff, 0xff];
    let mut all = vec![
        (Codec::Snappy, snappy),
        (Codec::Zstd, zstd),
        (Codec::Gzip, gzip),
    ];
    all.extend(lz4.map(|frame| (Codec::Lz4, frame)));
    all
}
