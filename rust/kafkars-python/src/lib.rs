//! The native half of the Python package: handles, batches, futures. The classes people construct are Python.

mod admin;
mod aio;
mod argument;
mod arrow;
mod batch;
mod batch_run;
mod broker;
mod brokers;
mod callback_turn;
mod cluster;
mod compat;
mod config;
mod consumer;
mod error;
mod gc;
mod gssapi;
mod log;
mod metadata;
mod metrics;
mod module;
mod payloads;
mod pending_flag;
mod producer;
mod record;
mod runtime;
mod types;
