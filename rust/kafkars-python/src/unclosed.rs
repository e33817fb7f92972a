//! The `ResourceWarning` about clients that are dropped without `close()`, as Python gives it for files and sockets.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::intern;
use pyo3::prelude::*;

/// How far up the stack the warning points: past `__del__`, to the code that dropped the client.
const STACK_LEVEL: isize = 2;

/// The warning that a client was not closed, and whether it is given.
#[derive(Default)]
pub(crate) struct UnclosedWarning {
    is_off: AtomicBool,
}

impl UnclosedWarning {
    /// Turns the warning off, for the client of a face, which does not warn or warns by itself.
    pub(crate) fn turn_off(&self) {
        self.is_off.store(true, Ordering::Relaxed);
    }

    /// Warns that `client`, which log lines call `name`, was not closed, and says how to. If warnings are errors, the
    /// interpreter shows what this raises.
    pub(crate) fn tell(
        &self,
        client: &Bound<'_, PyAny>,
        name: &str,
        message: &str,
    ) -> PyResult<()> {
        if self.is_off.load(Ordering::Relaxed) {
            return Ok(());
        }
        let is_async = client.hasattr(intern!(client.py(), "_is_asyncio"))?;
        let how = match is_async {
            true => "use `async with` or await close()",
            false => "use `with` or close()",
        };
        let message = CString::new(format!("{message}; {how} (client {name})"))?;
        // SAFETY: attached (there is a Bound); both strings end with a zero, and the format takes one string.
        let outcome = unsafe {
            pyo3::ffi::PyErr_ResourceWarning(
                client.as_ptr(),
                STACK_LEVEL,
                c"%s".as_ptr(),
                message.as_ptr(),
            )
        };
        match outcome {
            0 => Ok(()),
            _ => Err(PyErr::fetch(client.py())),
        }
    }
}
