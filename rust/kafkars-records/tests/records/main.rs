//! Record batches: what is built reads back, the bytes are those of Kafka's formats, and malicious ones are refused.
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
