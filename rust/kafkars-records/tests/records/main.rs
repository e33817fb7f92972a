//! Record batches from outside: what is built reads back, what Kafka's format says is what is written, and nothing
//! hostile gets through.
#![forbid(unsafe_code)]

mod broker;
mod fixtures;
mod gzip_members;
mod hostile;
mod legacy;
mod levels;
mod noise;
mod round_trip;
mod support;
