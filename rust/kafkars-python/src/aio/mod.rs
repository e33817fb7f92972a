//! Asynchronous Python without a thread hop or a task per call.
//!
//! A call answers with a [`PyFuture`]. Where the answer is there, awaiting it does not suspend. Where it is not, the
//! future registers with the [`PyLoopBridge`] of the running loop; runtime threads drop a key into the loop_bridge's
//! completion_queue, which never touches the interpreter, and ring a bell the loop watches. One ring brings the loop
//! all that has happened.

mod call;
mod completion_queue;
mod driver;
mod forgotten;
mod future;
mod loop_bridge;
mod methods;
mod operation;
mod pending;
mod read;
pub(crate) mod send;
mod state;

pub(crate) use call::{Call, PyCall};
pub(crate) use completion_queue::{CompletionQueue, Key};
pub(crate) use future::PyFuture;
pub(crate) use loop_bridge::{PyLoopBridge, running_loop};
pub(crate) use operation::{carried_out, spawn};
pub(crate) use pending::{Pending, Taker};
pub(crate) use read::{Amount, FirstStep, ReadRequest, Reader};
