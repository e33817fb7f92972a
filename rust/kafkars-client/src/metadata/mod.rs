//! Metadata: what asks for it, from addresses in the settings to the topics in use.

pub(crate) mod answer;
mod bootstrap;
mod bootstrap_progress;
pub(crate) mod task;
pub(crate) mod updater;
