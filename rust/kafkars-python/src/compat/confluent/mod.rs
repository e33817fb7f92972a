//! `kafkars.compat.confluent_kafka`: messages, and what hands them in and out.

mod bell;
mod consumer;
mod ends;
mod message;
mod partitions;
mod parts;
mod producer;
mod queue;
mod reading;
mod ready;
mod reports;

pub(crate) use bell::PyBell;
pub(crate) use consumer::PyConfluentConsumer;
pub(crate) use message::PyMessage;
pub(crate) use partitions::partition_of_key;
pub(crate) use producer::PyConfluentProducer;
