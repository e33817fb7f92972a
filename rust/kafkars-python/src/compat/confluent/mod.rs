//! `kafkars.compat.confluent_kafka`: messages, and the producer and consumer parts that run once per message.

mod consumer;
mod gathering;
mod handler;
mod message;
mod open_consumer;
mod partition_eof;
mod partitions;
mod parts;
mod producer;
mod reading;
mod ready;
mod reports;
mod runs;
mod unreturned;
mod waiting_message;

pub(crate) use consumer::PyConfluentConsumer;
pub(crate) use message::PyMessage;
pub(crate) use partitions::partition_of_key;
pub(crate) use producer::PyConfluentProducer;
pub(crate) use runs::runs_of_messages;
