//! Classes that take no part in garbage collection, for objects that are made by the million, and calls from the end of
//! an object's life.
//!
//! PyO3 makes every class take part in garbage collection, so that each object is linked into the collector's lists
//! when it is made and out of them when it goes. Records and deliveries refer to no container and cannot be part of a
//! cycle, and this would be half of their cost. So their classes leave the collector, and their objects are made and
//! freed without the detour over `object.__new__`.
//!
//! This needs the layout of type objects, so it is only done for interpreters that show it. Elsewhere (abi3 and
//! free-threaded builds) [`new`] makes an object in PyO3's ordinary way and untracks it.
//!
//! `ARCHITECTURE.md` says what this gains, under the decisions that differ from the first design.

use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::PyList;

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
pub(crate) use imp::contents_at;
pub(crate) use imp::{leave_collector, new};

/// A class whose objects are made by the million.
pub(crate) trait Uncollected: PyClass<Frozen = True> {
    /// True if other Python objects may be freed with this one; asked at the end of its life.
    fn may_release_objects(&self) -> bool;
}

/// Untracks a new object, so that the collector does not visit it.
#[inline]
pub(crate) fn untracked<T>(object: Bound<'_, T>) -> Bound<'_, T> {
    // SAFETY: attached (there is a Bound), and the object is one of ours, which PyO3 has just allocated with the
    // collector's header. Untracking is what its deallocation begins with, and doing so twice is allowed.
    unsafe { pyo3::ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
    object
}

/// Makes an empty list that the collector does not track.
#[inline]
pub(crate) fn untracked_list(py: Python<'_>) -> Bound<'_, PyList> {
    let list = PyList::empty(py);
    // SAFETY: attached, and lists are allocated with the collector's header. The interpreter asks of none of them
    // whether it is tracked; one that is not and becomes part of a cycle is never freed.
    unsafe { pyo3::ffi::PyObject_GC_UnTrack(list.as_ptr().cast()) };
    list
}

/// Calls into the interpreter from the end of an object's life. An exception that is set at that moment (the object may
/// go because of it) is set again afterwards.
pub(crate) fn at_end_of_life(call: impl FnOnce(Python<'_>)) {
    Python::attach(|py| {
        let on_its_way = PyErr::take(py);
        call(py);
        if let Some(error) = on_its_way {
            error.restore(py);
        }
    });
}

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
mod imp {
    use std::mem::{align_of, size_of};
    use std::ptr;

    use pyo3::ffi;

    use super::{Bound, PyResult, Python, Uncollected};

    /// Takes the class out of garbage collection. To be called before the first object is made.
    ///
    /// Only for classes without `__dict__`, weak references and base class, whose fields hold no Python object that
    /// could refer back (of a message: unless the program puts one there that refers to the message itself).
    pub(crate) fn leave_collector<T: Uncollected>(py: Python<'_>) {
        let class = T::type_object_raw(py);
        // SAFETY: attached, so nobody else looks at the type; no object of it exists yet, so none was linked into the
        // collector's lists. `deallocate` fits how `new` allocates. A subclass made by PyO3 keeps its own flags and
        // functions, and links its objects itself.
        unsafe {
            let is_plain = (*class).tp_basicsize == (contents_at::<T>() + size_of::<T>()) as isize
                && (*class).tp_itemsize == 0
                && (*class).tp_dictoffset == 0
                && (*class).tp_weaklistoffset == 0
                && (*class).tp_base == &raw mut ffi::PyBaseObject_Type;
            if is_plain {
                (*class).tp_flags &= !ffi::Py_TPFLAGS_HAVE_GC;
                (*class).tp_traverse = None;
                (*class).tp_clear = None;
                (*class).tp_free = Some(ffi::PyObject_Free);
                (*class).tp_dealloc = Some(deallocate::<T>);
            }
        }
    }

    /// Makes a new object.
    #[inline]
    pub(crate) fn new<T>(py: Python<'_>, value: T) -> PyResult<Bound<'_, T>>
    where
        T: Uncollected + Into<pyo3::PyClassInitializer<T>>,
    {
        let class = T::type_object_raw(py);
        // SAFETY: attached, and `class` is a valid type object.
        if unsafe { (*class).tp_flags } & ffi::Py_TPFLAGS_HAVE_GC != 0 {
            return Bound::new(py, value);
        }
        // SAFETY: the class left the collector, so its objects are plain memory of `tp_basicsize` bytes: PyO3's header,
        // which `PyObject_Init` fills, and the value.
        unsafe {
            let object =
                ffi::PyObject_Malloc((*class).tp_basicsize as usize).cast::<ffi::PyObject>();
            if object.is_null() {
                drop(value);
                ffi::PyErr_NoMemory();
                return Err(pyo3::PyErr::fetch(py));
            }
            ffi::PyObject_Init(object, class);
            ptr::write(contents(object), value);
            Ok(Bound::from_owned_ptr(py, object).cast_into_unchecked())
        }
    }

    /// The position of the value in an object: behind the header, as in PyO3's `repr(C)` layout. `leave_collector`
    /// compares the size that follows from it with the one PyO3 chose.
    pub(crate) const fn contents_at<T>() -> usize {
        size_of::<ffi::PyObject>().next_multiple_of(align_of::<T>())
    }

    /// # Safety
    /// `object` must be one of `T`'s class.
    unsafe fn contents<T>(object: *mut ffi::PyObject) -> *mut T {
        // SAFETY: within the object, by the caller's promise.
        unsafe { object.cast::<u8>().add(contents_at::<T>()).cast::<T>() }
    }

    unsafe extern "C" fn deallocate<T: Uncollected>(object: *mut ffi::PyObject) {
        // SAFETY: the interpreter calls this once, attached, with an object of this class or of one that Python code
        // has derived from it (subclasses made by PyO3 have a function of their own), whose memory begins alike. A
        // derived class may take part in garbage collection: its allocator put a header before the object, and its
        // `tp_free` knows that. An object that a constructor has made is memory of its class's allocator, which looks
        // at the flags. An instance holds a reference to its class, which the interpreter leaves to the base class's
        // function.
        unsafe {
            let class = ffi::Py_TYPE(object);
            let contents = contents::<T>(object);
            // PyO3 does not know that this thread is attached, and would keep the objects until it is told. While the
            // interpreter ends it cannot be told, and then the memory does not matter.
            let dropped = (*contents).may_release_objects()
                && Python::try_attach(|_| ptr::drop_in_place(contents)).is_some();
            if !dropped {
                ptr::drop_in_place(contents);
            }
            (*class).tp_free.unwrap_or(ffi::PyObject_Free)(object.cast());
            ffi::Py_DECREF(class.cast());
        }
    }
}

#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED))]
mod imp {
    use super::{Bound, PyResult, Python, Uncollected};

    /// Leaves the class as it is, because this interpreter shows no layout of it.
    pub(crate) fn leave_collector<T: Uncollected>(_py: Python<'_>) {}

    /// Makes a new object, and untracks it.
    #[inline]
    pub(crate) fn new<T>(py: Python<'_>, value: T) -> PyResult<Bound<'_, T>>
    where
        T: Uncollected + Into<pyo3::PyClassInitializer<T>>,
    {
        Bound::new(py, value).map(super::untracked)
    }
}
