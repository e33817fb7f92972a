//! Metadata of a client: bootstrapping, and refreshing what is known of the topics in use.

pub(crate) mod answer;
mod bootstrap;
mod bootstrap_progress;
pub(crate) mod task;
pub(crate) mod updater;
