//! A `records` field of hostile bytes: see `kafkars_testkit::fuzz_records::record_batch`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kafkars_testkit::fuzz_records::record_batch(data));
