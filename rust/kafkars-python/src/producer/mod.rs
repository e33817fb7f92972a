//! Sending: what the synchronous and the asynchronous producer share. Each of the two adds only its way of waiting.

mod aio;
mod arrow;
mod arrow_import;
mod base;
mod batch_builder;
mod callbacks;
mod core;
mod deliveries;
mod delivery;
mod ending;
mod enter;
mod entries;
mod failures;
mod interceptors;
mod payload;
mod pending_send;
mod placing;
mod send_arguments;
mod send_many;
mod serializers;
mod sync;
mod transactions;

pub(crate) use aio::{Awaits, PyAsyncProducer};
pub(crate) use arrow::imported_schema;
pub(crate) use base::PyBaseProducer;
pub(crate) use batch_builder::PyBatchBuilder;
pub(crate) use core::{ProducerCore, close_all};
pub(crate) use deliveries::PyDeliveries;
pub(crate) use delivery::PyDeliveryFuture;
pub(crate) use entries::{Entry, PyAsyncDeliveries};
pub(crate) use send_arguments::{Arguments, OwnedRecord, SendArguments};
pub(crate) use serializers::Serializer;
pub(crate) use sync::PyProducer;
