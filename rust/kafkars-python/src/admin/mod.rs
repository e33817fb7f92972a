//! Administration as Python sees it: every call gives a request, which the sync face waits for and the asyncio one
//! awaits.

mod answers;
mod arguments;
mod calls;
mod request;

pub(crate) use calls::PyAdmin;
pub(crate) use request::PyAdminRequest;
