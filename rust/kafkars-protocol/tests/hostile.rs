//! Broken and malicious messages: a message or an error, and never more memory than the bytes justify.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use kafkars_testkit::codec::MessageCodec;
use kafkars_testkit::entropy::Entropy;
use kafkars_testkit::hostile::for_each_broken_form;
use kafkars_testkit::sample::Sample;
use kafkars_testkit::schema::MessageSchema;

/// The allowance of a frame beyond eight times its size, and the shared handle that slices of it need.
const SMALL_CONSTANT: usize = 1024 + 64;

/// Counts the memory that each thread allocates.
struct Counting;

thread_local! {
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        REQUESTED.set(REQUESTED.get().saturating_add(layout.size()));
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above, hence from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn broken_messages_neither_panic_nor_take_memory() {
    let mut decoded = 0u64;
    for (codec, schema) in MessageCodec::all().iter().zip(MessageSchema::all()) {
        for version in codec.versions.iter() {
            for_each_broken_form(&full_sample(schema, version), |broken| {
                decoded += 1;
                let limit = 8 * broken.len() + SMALL_CONSTANT;
                let before = REQUESTED.get();
                let outcome = (codec.decode)(broken, version);
                let taken = REQUESTED.get() - before;
                assert!(
                    taken <= limit,
                    "{} v{version} took {taken} of {limit}: {outcome:?}",
                    codec.name
                );
                if let Err(error) = outcome {
                    assert_eq!(error.message, codec.name);
                }
            });
        }
    }
    assert!(decoded > 100_000, "{decoded}");
}

#[test]
fn a_count_that_lies_is_refused_before_anything_is_reserved() {
    // A Fetch response with two billion topics in a frame of 64 bytes.
    let codec = MessageCodec::named("FetchResponse").unwrap();
    let mut frame = vec![0u8; 64];
    frame[10..14].copy_from_slice(&i32::MAX.to_be_bytes());
    let before = REQUESTED.get();
    let error = (codec.decode)(frame.into(), 11).unwrap_err();
    assert!(REQUESTED.get() - before < 128);
    assert_eq!(
        (error.message, error.field, error.offset),
        ("FetchResponse", "Responses", 10)
    );
}

/// The sample with the most lengths among a few, so that few arrays are empty.
fn full_sample(schema: &MessageSchema, version: i16) -> Sample {
    (0..32)
        .map(|seed| Sample::new(schema, version, &mut Entropy::from_seed(seed)))
        .filter(|sample| sample.bytes.len() < 600)
        .max_by_key(|sample| sample.lengths.len())
        .unwrap_or_else(|| Sample::new(schema, version, &mut Entropy::from_bytes(Vec::new())))
}
