//! The sender of a producer: moves batches from the accumulator to the brokers and handles the responses.
//!
//! The [`driver::SenderDriver`] holds the core's decisions behind one lock. Mostly the [`SenderTask`] runs it: on new
//! batches, responses, metadata and timers. A record that need not wait is sent on the thread of its caller instead,
//! which saves waking that task.

mod cluster_view;
mod coordinator;
mod driver;
mod event;
mod no_answer;
mod node;
mod task;
mod transaction_calls;
mod transactions;

pub(crate) use self::task::SenderTask;
pub(crate) use self::transaction_calls::CallEnd;
