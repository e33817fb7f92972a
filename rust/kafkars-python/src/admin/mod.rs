//! The native administrator: every call returns a request, which the synchronous `Admin` waits for and the asyncio one
//! awaits.

mod answers;
mod arguments;
mod calls;
mod request;

pub(crate) use calls::PyAdmin;
pub(crate) use request::PyAdminRequest;
