//! The client against scripted peers: one binary, one file per theme.

mod bootstrap;
mod peers;
mod requests;
mod topics;
