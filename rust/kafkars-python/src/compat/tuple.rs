//! Named tuples, made without their own constructors.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// A class of named tuples: derived from `tuple`, with nothing in its objects but their items.
pub(super) struct TupleClass(Py<PyType>);

impl TupleClass {
    /// Fails for any other class.
    pub(super) fn new(class: &Bound<'_, PyType>) -> PyResult<Self> {
        let tuple = class.py().get_type::<PyTuple>();
        let is_alike = |name| class.getattr(name)?.eq(tuple.getattr(name)?);
        if class.is_subclass(&tuple)? && is_alike("__basicsize__")? && is_alike("__itemsize__")? {
            return Ok(Self(class.clone().unbind()));
        }
        Err(PyTypeError::new_err(format!(
            "expected a class of named tuples, not {}",
            class.name()?
        )))
    }

    /// A tuple of these items.
    #[inline]
    pub(super) fn make<'py, const N: usize>(
        &self,
        py: Python<'py>,
        items: [Bound<'py, PyAny>; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: attached. `new` has seen that objects of the class are tuples and nothing else, so that memory for N
        // items is a tuple whose items are null, which is what the interpreter makes tuples of.
        let tuple = unsafe {
            let class = self.0.as_ptr().cast();
            Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(class, N as isize))?
        };
        for (index, item) in items.into_iter().enumerate() {
            // SAFETY: the tuple is new, so nobody else has it, and it has room for N items, each set once.
            unsafe { set_item(&tuple, index as isize, item)? };
        }
        Ok(tuple)
    }

    /// A tuple that the garbage collector does not track, for items that cannot be part of a cycle (those of a record's
    /// headers can, if the program puts the record itself into their list).
    #[inline]
    pub(super) fn make_untracked<'py, const N: usize>(
        &self,
        py: Python<'py>,
        items: [Bound<'py, PyAny>; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        let tuple = self.make(py, items)?;
        // SAFETY: attached, and the object was allocated with the collector's header, as tuples are. Their deallocation
        // allows for those that are not tracked.
        unsafe { ffi::PyObject_GC_UnTrack(tuple.as_ptr().cast()) };
        Ok(tuple)
    }
}

/// # Safety
/// `tuple` must be a new tuple with room for an item at `index`, which was not set yet.
#[cfg(not(Py_LIMITED_API))]
#[inline]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the limited API's way to do it may fail"
)]
unsafe fn set_item(tuple: &Bound<'_, PyAny>, index: isize, item: Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: by the caller's promise; the reference goes over to the tuple.
    unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), index, item.into_ptr()) };
    Ok(())
}

/// # Safety
/// `tuple` must be a new tuple with room for an item at `index`, which was not set yet.
#[cfg(Py_LIMITED_API)]
#[inline]
unsafe fn set_item(tuple: &Bound<'_, PyAny>, index: isize, item: Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: by the caller's promise; the reference goes over to the tuple.
    match unsafe { ffi::PyTuple_SetItem(tuple.as_ptr(), index, item.into_ptr()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(tuple.py())),
    }
}
