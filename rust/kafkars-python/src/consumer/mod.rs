//! Reading: what the synchronous and the asynchronous consumer share. Each of the two adds only its way of waiting.

mod aio;
mod assignment;
mod base;
mod core;
mod questions;
mod sync;
mod wait;

pub(crate) use aio::PyAsyncConsumer;
pub(crate) use base::PyBaseConsumer;
pub(crate) use sync::PyConsumer;
