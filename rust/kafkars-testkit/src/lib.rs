//! Scripted brokers, captured frames and generated messages for the tests of the other crates.
#![forbid(unsafe_code)]

pub mod codec;
pub mod entropy;
pub mod frames;
pub mod fuzz_messages;
pub mod fuzz_records;
pub mod hostile;
pub mod pipe;
pub mod sample;
pub mod schema;
