//! The client against scripted brokers: one binary, one file per theme.

mod bootstrap;
mod peers;
mod requests;
mod topics;
