//! Objects that the garbage collector need not visit.
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
