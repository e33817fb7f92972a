//! The slots by which the interpreter awaits a future without detours.
//!
//! By way of `__next__`, awaiting a result that is there ends in a `StopIteration` that the interpreter takes apart at
//! once. Interpreters from 3.10 on first look for `am_send`, which hands the result over as it is; PyO3 has no name for
//! that slot, so it is set here. Interpreters that do not look for it (3.12 and later for other than coroutines) lose
//! nothing.

#[cfg(not(Py_LIMITED_API))]
use pyo3::ffi;
use pyo3::prelude::*;

#[cfg(not(Py_LIMITED_API))]
use super::future::PyFuture;
#[cfg(not(Py_LIMITED_API))]
use super::turns;

/// Fills the slot of the future classes. To be called before the first future is made.
#[cfg(not(Py_LIMITED_API))]
pub(crate) fn install(py: Python<'_>) {
    use pyo3::PyTypeInfo;

    for class in [
        PyFuture::type_object_raw(py),
        super::PyCall::type_object_raw(py),
    ] {
        // SAFETY: attached, so nobody else looks at the type; both are heap types of ours, which nobody has used yet.
        unsafe {
            if let Some(slots) = (*class).tp_as_async.as_mut() {
                slots.am_send = Some(send);
                slots.am_await = Some(itself);
            }
        }
    }
}

/// Does nothing: this interpreter does not show its slots.
#[cfg(Py_LIMITED_API)]
pub(crate) fn install(_py: Python<'_>) {}

/// The object that `await` awaits: the future itself, without an iterator in between.
#[cfg(not(Py_LIMITED_API))]
unsafe extern "C" fn itself(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this attached, with a future that it holds.
    unsafe {
        let py = Python::assume_attached();
        let future = Bound::ref_from_ptr(py, &object).cast_unchecked::<PyFuture>();
        future.get().note_awaited();
        ffi::Py_NewRef(object)
    }
}

#[cfg(not(Py_LIMITED_API))]
unsafe extern "C" fn send(
    object: *mut ffi::PyObject,
    _value: *mut ffi::PyObject,
    result: *mut *mut ffi::PyObject,
) -> ffi::PySendResult {
    // SAFETY: the interpreter calls this attached, with a future (the slot is set for futures only) that it holds, and
    // with a place for the answer.
    unsafe {
        let py = Python::assume_attached();
        let future = Bound::ref_from_ptr(py, &object).cast_unchecked::<PyFuture>();
        let may_be_turn = turns::count_step();
        if !may_be_turn && let Some(value) = future.get().value(py) {
            *result = value.into_ptr();
            return ffi::PySendResult::PYGEN_RETURN;
        }
        // The rest may run Python code, for which PyO3 has to know that the thread is attached.
        Python::attach(|py| {
            match PyFuture::counted_step(future, may_be_turn).map(|step| step.yielded(future)) {
                Ok(Err(value)) => {
                    *result = value.into_ptr();
                    ffi::PySendResult::PYGEN_RETURN
                }
                Ok(Ok(yielded)) => {
                    *result = yielded.into_ptr();
                    ffi::PySendResult::PYGEN_NEXT
                }
                Err(error) => {
                    error.restore(py);
                    *result = std::ptr::null_mut();
                    ffi::PySendResult::PYGEN_ERROR
                }
            }
        })
    }
}
