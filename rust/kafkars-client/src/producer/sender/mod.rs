//! Sending: moves batches from the accumulator to the brokers and brings the answers back.
//!
//! The [`driver::SenderDriver`] decides, behind one lock, what leaves. Mostly the [`SenderTask`] runs it: on records,
//! answers, metadata and time. A record that nothing holds up leaves on the thread of its caller instead, which saves
//! waking that task.

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
