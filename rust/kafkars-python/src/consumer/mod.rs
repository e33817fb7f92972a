//! Consumers: what the synchronous and the asynchronous one share. Each of the two adds only its way of waiting.

mod aio;
mod assignment;
pub(crate) mod assignor;
mod base;
mod commit_callbacks;
mod commits;
mod core;
mod group;
mod health;
mod leave;
mod listener_run;
mod listeners;
mod offset_queries;
mod serve;
mod sync;
mod wait;

pub(crate) use aio::PyAsyncConsumer;
pub(crate) use base::PyBaseConsumer;
pub(crate) use commits::offset_from;
pub(crate) use core::ConsumerCore;
pub(crate) use serve::Served;
pub(crate) use sync::PyConsumer;
pub(crate) use wait::PyServe;
