//! Compressed data of hostile bytes: see `kafkars_testkit::fuzz_records::decompress_any`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kafkars_testkit::fuzz_records::decompress_any(data));
