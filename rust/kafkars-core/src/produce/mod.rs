//! From a record to a place in a partition's batch, and from an answer to a delivery report.

pub mod accumulator;
pub mod delivery;
pub mod error;
pub mod outcome;
pub mod partition_buffer;
pub mod partitioner;
pub mod request;
pub mod sender;
pub mod sequence;
pub mod split;
