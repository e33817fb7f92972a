//! Asynchronous Python without a thread hop or a task per call.
//!
//! A call returns a [`PyFuture`]. If the result is there, awaiting it does not suspend. If it is not, the future
//! registers with the [`PyLoopBridge`] of the running loop; runtime threads put a key into the bridge's completion
//! queue, without the interpreter, and wake the loop. Woken once, the loop gets all events that have happened.

mod call;
mod completion_queue;
pub(crate) mod coroutine_method;
mod driver;
mod forgotten;
mod future;
mod loop_bridge;
mod methods;
mod operation;
mod pending;
mod read;
mod running_loop;
pub(crate) mod send;
mod state;
pub(crate) mod turns;

pub(crate) use call::{AwaitableCall, PyCall};
pub(crate) use completion_queue::{CompletionKey, CompletionQueue};
pub(crate) use coroutine_method::PyCoroutineMethod;
pub(crate) use future::PyFuture;
pub(crate) use loop_bridge::PyLoopBridge;
pub(crate) use methods::PyAwaiting;
pub(crate) use operation::{Forgotten, ToPython, carried_out, spawn};
pub(crate) use pending::{PendingAnswer, Taker};
pub(crate) use read::{Amount, FirstStep, ReadRequest, RecordReads};
pub(crate) use running_loop::{has_running_loop, running_loop};
pub(crate) use state::{Begun, Unbegun};
