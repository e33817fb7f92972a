//! Asynchronous Python without a thread hop or a task per call.
//!
//! A call answers with a [`PyFuture`]. Where the answer is there, awaiting it does not suspend. Where it is not, the
//! future registers with the [`PyPort`] of the running loop; runtime threads drop a key into the port's inbox, which
//! never touches the interpreter, and ring a bell the loop watches. One ring brings the loop all that has happened.

mod call;
mod forgotten;
mod future;
mod inbox;
mod methods;
mod operation;
mod pending;
mod port;
mod read;
pub(crate) mod send;
mod state;
mod then;

pub(crate) use call::{Call, PyCall};
pub(crate) use future::PyFuture;
pub(crate) use inbox::{Inbox, Key};
pub(crate) use operation::{carried_out, pending, spawn};
pub(crate) use pending::Pending;
pub(crate) use port::PyPort;
pub(crate) use read::{Amount, FirstStep, ReadRequest, Reader};
pub(crate) use then::then;
