//! Bytes as a peer sends them: length prefixes, headers, requests and responses.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kafkars_testkit::fuzz_messages::frame(data));
