//! Kafka wire format: primitives, generated messages, error table, frames
#![forbid(unsafe_code)]
