//! Objects that the garbage collector need not visit, and how they speak when they go.
//!
//! Every class of PyO3 takes part in garbage collection. Records and futures refer to no container that refers back to
//! them, exist by the hundred thousand, and would make each collection slow for nothing.

use pyo3::prelude::*;

/// Takes a new object out of the collector's sight.
#[inline]
pub(crate) fn untracked<T>(object: Bound<'_, T>) -> Bound<'_, T> {
    // SAFETY: attached (there is a Bound), and the object is one of ours, which PyO3 has just allocated with the
    // collector's header. Untracking is what its deallocation begins with, and doing so twice is allowed.
    unsafe { pyo3::ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
    object
}

/// Calls into the interpreter from the end of an object's life. An exception may be on its way at that moment (the
/// object may go because of it), and goes on afterwards.
pub(crate) fn at_end_of_life(call: impl FnOnce(Python<'_>)) {
    Python::attach(|py| {
        let on_its_way = PyErr::take(py);
        call(py);
        if let Some(error) = on_its_way {
            error.restore(py);
        }
    });
}
