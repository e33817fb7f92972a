//! The logic of a Kafka client without I/O and clock: everything here takes `now` and decoded messages and says what to
//! do.
#![forbid(unsafe_code)]

pub mod backoff;
pub mod cluster;
pub mod config;
pub mod coordinator;
pub mod error_kind;
pub mod fetch;
pub mod group;
pub mod produce;
pub mod refresh;
pub mod transaction;
