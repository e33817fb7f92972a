//! The event loop that runs on this thread, for calls that ask once per record.
//!
//! Before Python 3.12 `asyncio.get_running_loop()` asks the kernel for the process id each time, which costs more than
//! making a future. There the answer is read from where asyncio keeps it, once asyncio was seen to agree.

use pyo3::prelude::*;

use crate::imports::GET_RUNNING_LOOP;

/// The loop that runs on this thread: the innermost one, if loops are nested.
#[inline]
pub(crate) fn running_loop(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    match kept::running_loop(py) {
        Some(event_loop) => Ok(event_loop),
        None => asked(py),
    }
}

/// True if a loop runs on this thread.
#[inline]
pub(crate) fn has_running_loop(py: Python<'_>) -> bool {
    running_loop(py).is_ok()
}

#[cold]
fn asked(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let event_loop = GET_RUNNING_LOOP.get(py)?.call0()?;
    kept::compare(&event_loop);
    Ok(event_loop)
}

/// Where asyncio keeps the running loop before Python 3.12: in a holder in the thread's own dictionary. Each loop that
/// begins or ends to run puts another holder there.
#[cfg(not(any(Py_3_12, Py_LIMITED_API)))]
mod kept {
    use std::cell::Cell;
    use std::ptr::NonNull;

    use pyo3::ffi;
    use pyo3::intern;
    use pyo3::prelude::*;

    use crate::runtime::ForkGuard;

    thread_local! {
        /// Set once the holder of this thread was seen to be what asyncio goes by, in this process: in the child of a
        /// fork there is the parent's, which counts for nothing there until another loop runs.
        static AGREES: Cell<Option<ForkGuard>> = const { Cell::new(None) };
    }

    /// The running loop; `None` if there is none, or asyncio has to be asked.
    #[inline]
    pub(super) fn running_loop(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
        if AGREES.get()?.is_elsewhere() {
            return None;
        }
        let held = held(py)?;
        // SAFETY: attached, and the holder, which has not changed meanwhile, refers to the object.
        let event_loop = unsafe { Bound::from_borrowed_ptr(py, held.as_ptr()) };
        (!event_loop.is_none()).then_some(event_loop)
    }

    /// Compares what the holder has with asyncio's answer.
    pub(super) fn compare(event_loop: &Bound<'_, PyAny>) {
        let held = held(event_loop.py());
        let agrees = held.is_some_and(|held| held.as_ptr() == event_loop.as_ptr());
        AGREES.set(agrees.then(ForkGuard::here));
    }

    /// Where the holder says that the loop is: nothing more than an address before it was compared.
    fn held(py: Python<'_>) -> Option<NonNull<ffi::PyObject>> {
        let name = intern!(py, "__asyncio_running_event_loop__");
        // SAFETY: attached. All references are borrowed, of objects that the thread's dictionary keeps meanwhile, for
        // no Python code runs here: the name is a plain string. The loop is the first field of a holder.
        unsafe {
            let of_thread = ffi::PyThreadState_GetDict();
            if of_thread.is_null() {
                return None;
            }
            let holder = ffi::PyDict_GetItem(of_thread, name.as_ptr());
            if holder.is_null() || !is_holder(ffi::Py_TYPE(holder)) {
                return None;
            }
            let fields = holder.add(1).cast::<*mut ffi::PyObject>();
            NonNull::new(*fields)
        }
    }

    /// True for the class of asyncio's holders: an object's header, the loop and, in most builds, a process id.
    ///
    /// # Safety
    /// `class` must be a class.
    unsafe fn is_holder(class: *mut ffi::PyTypeObject) -> bool {
        let size = size_of::<ffi::PyObject>() + size_of::<*mut ffi::PyObject>();
        let sizes = [size, size + size_of::<usize>()];
        // SAFETY: by the caller's promise; the names of classes are C strings.
        unsafe {
            sizes.contains(&((*class).tp_basicsize as usize))
                && std::ffi::CStr::from_ptr((*class).tp_name) == c"_RunningLoopHolder"
        }
    }
}

/// Asking asyncio is quick, or interpreters do not show where it keeps the loop.
#[cfg(any(Py_3_12, Py_LIMITED_API))]
mod kept {
    use pyo3::prelude::*;

    #[inline]
    pub(super) fn running_loop(_: Python<'_>) -> Option<Bound<'_, PyAny>> {
        None
    }

    pub(super) fn compare(_: &Bound<'_, PyAny>) {}
}
