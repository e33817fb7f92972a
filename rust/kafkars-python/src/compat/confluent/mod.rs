//! `kafkars.compat.confluent_kafka`: messages, and what hands them in and out.

mod message;
mod parts;

pub(crate) use message::PyMessage;
