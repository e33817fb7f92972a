//! `kafkars.compat.confluent_kafka`: messages, and what hands them in and out.

mod message;
mod partitions;
mod parts;

pub(crate) use message::PyMessage;
pub(crate) use partitions::partition_of_key;
