//! Producing: from a record to its place in a partition's batch, and from a response to a delivery report.

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
