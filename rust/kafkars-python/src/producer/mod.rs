//! Sending: what the synchronous and the asynchronous producer share. Each of the two adds only its way of waiting.

mod admission;
mod aio;
mod base;
mod callbacks;
mod core;
mod delivery;
mod late;
mod outgoing;
mod payload;
mod sync;
mod transactions;

pub(crate) use aio::PyAsyncProducer;
pub(crate) use base::PyBaseProducer;
pub(crate) use core::close_all;
pub(crate) use delivery::PyDeliveryFuture;
pub(crate) use sync::PyProducer;
