//! The memory oracle of reading: whatever a broker sends, data that waits for the application stays within its limit,
//! one response and one batch. It is a separate test binary because it counts every allocation of the process, so that
//! it sees the buffers of responses until they are really freed, whatever the client counts.

mod shared_responses;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use kafkars_core::config::{AutoOffsetReset, IsolationLevel, TopicPartition};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::open::{AbortedTransaction, OpenJob};
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;
use kafkars_records::{BatchBuilder, Codec, ProducerFields, ReadLimits, batches};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Lets tests run one at a time, because the allocations of the whole process are counted.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes allocated now.
pub(crate) fn allocated() -> usize {
    NOW.load(Relaxed)
}

// SAFETY: every call is the system allocator's, with the arguments given; the counters are beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size();
        PEAK.fetch_max(NOW.fetch_add(size, Relaxed) + size, Relaxed);
        // SAFETY: the caller's promises are those that the system allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What a response for a partition has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Batches of one record with one byte.
    TinyBatches,
    /// The same in a session that sends one of them at a time.
    TinyAnswers,
    /// Batches of aborted transactions, of which nothing is shown.
    Aborted,
    /// Zeros, a thousand times as many as bytes on the wire.
    Bombs(Codec),
}

/// What is done wrong on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    /// Only the bytes of records count against the limit.
    OnlyRecordBytesCount,
    /// A response is opened at once, whatever it has.
    AnswersAreOpenedAtOnce,
}

const LIMIT: usize = 1 << 20;
/// Bytes that a batch decompresses to at most.
const LARGEST: usize = 2 << 20;
const ANSWER: usize = 128 << 10;

fn partition() -> TopicPartition {
    TopicPartition {
        topic: "t".into(),
        partition: 0,
    }
}

fn batch(content: Content, base_offset: i64) -> Bytes {
    let mut builder = BatchBuilder::new(64);
    let (codec, fields) = match content {
        Content::Aborted => {
            builder.append(0, None, Some(b"v"), &[]);
            let fields = ProducerFields {
                producer_id: 7,
                producer_epoch: 0,
                base_sequence: 0,
                transactional: true,
            };
            (Codec::None, fields)
        }
        Content::Bombs(codec) => {
            builder.append(0, None, Some(&vec![0; LARGEST - 100]), &[]);
            (codec, ProducerFields::default())
        }
        Content::TinyBatches | Content::TinyAnswers => {
            builder.append(0, None, Some(b"v"), &[]);
            (Codec::None, ProducerFields::default())
        }
    };
    let sealed = builder.seal(codec.into(), fields).expect("seals");
    let raw = batches(sealed.bytes).next().expect("one").expect("whole");
    raw.with_position(base_offset, 0)
        .expect("magic 2")
        .bytes()
        .clone()
}

/// An answer of about [`ANSWER`] bytes from an offset on, made before memory is looked at.
fn answer(content: Content, from: i64) -> Bytes {
    let most = if content == Content::TinyAnswers {
        1
    } else {
        ANSWER
    };
    let mut records = Vec::with_capacity(2 * ANSWER);
    let mut offset = from;
    while records.len() < most {
        records.extend_from_slice(&batch(content, offset));
        offset += 1;
        if matches!(content, Content::Bombs(_)) && offset - from == 8 {
            break;
        }
    }
    records.shrink_to_fit();
    records.into()
}

/// Fetches while the buffer lets it, opens while the buffer lets it, and takes nothing. Returns the most bytes that
/// this took at any time, and what the buffer counted.
fn fill(content: Content, defect: Option<Defect>) -> (usize, usize) {
    let limit = match defect {
        // A batch of one byte counts as one byte.
        Some(Defect::OnlyRecordBytesCount) => LIMIT * 40,
        _ => LIMIT,
    };
    let limits = ReadLimits {
        max_decompressed: LARGEST,
    };
    let mut buffer = FetchBuffer::new(AutoOffsetReset::Earliest, limit);
    buffer.assign(vec![(partition(), Some(FetchPosition::at(0)))]);
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    for _ in 0..20_000 {
        if !buffer.has_credit() || NOW.load(Relaxed) - before > 64 * LIMIT {
            break;
        }
        let Some(target) = buffer.take_targets(Instant::now(), |_| true).pop() else {
            break;
        };
        buffer.landed(std::slice::from_ref(&target));
        if content == Content::Aborted && target.from.offset > 200_000 {
            break; // nothing of it is kept, so there is no end to it
        }
        let records = answer(content, target.from.offset);
        let job = OpenJob {
            partition: partition(),
            from: target.from,
            response: ResponseMemory::new(records.len()),
            records,
            aborted: vec![AbortedTransaction {
                producer_id: 7,
                first_offset: 0,
            }],
            isolation: IsolationLevel::ReadCommitted,
        };
        assert!(buffer.admit(&target, job));
        if defect == Some(Defect::AnswersAreOpenedAtOnce) {
            while let Some(mut task) = buffer.start_opening_of(&target) {
                let parts = task.opening.open(&limits, usize::MAX);
                buffer.opened(task, parts);
            }
        }
        while let Some(mut task) = buffer.start_opening() {
            let parts = task.opening.open(&limits, 64 << 10);
            buffer.opened(task, parts);
        }
    }
    (PEAK.load(Relaxed) - before, buffer.buffered())
}

/// The limit, which the last batch may exceed; answers that wait to be opened; a batch being opened, while its buffer
/// grows; and a queue that grows by doubling.
fn bound(content: Content) -> usize {
    let batch = match content {
        Content::Bombs(_) => 3 * LARGEST,
        _ => 64 << 10,
    };
    LIMIT + LIMIT / 4 + 4 * ANSWER + batch
}

#[test]
fn memory_keeps_its_bound_whatever_comes() {
    let _turn = alone();
    let bombs = [Codec::Gzip, Codec::Snappy, Codec::Lz4, Codec::Zstd].map(Content::Bombs);
    let plain = [Content::TinyBatches, Content::TinyAnswers, Content::Aborted];
    for content in plain.into_iter().chain(bombs) {
        let (peak, counted) = fill(content, None);
        assert!(
            peak <= bound(content),
            "{content:?}: {peak} bytes, {counted} counted, {} allowed",
            bound(content)
        );
    }
    for content in [Content::TinyBatches, Content::TinyAnswers] {
        let (peak, counted) = fill(content, None);
        assert!(
            peak < 2 * counted,
            "{content:?}: {peak} bytes, {counted} counted"
        );
    }

    for (content, defect) in [
        (Content::TinyBatches, Defect::OnlyRecordBytesCount),
        (Content::Bombs(Codec::Zstd), Defect::AnswersAreOpenedAtOnce),
        (Content::Bombs(Codec::Gzip), Defect::AnswersAreOpenedAtOnce),
    ] {
        let (peak, _) = fill(content, Some(defect));
        assert!(
            peak > bound(content),
            "{defect:?} was not noticed: {peak} bytes"
        );
    }
}
