//! Any message in any version: what can be read is written again and stays as it is.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kafkars_testkit::fuzz_messages::message(data));
