//! Native methods that look like the coroutine functions for which they stand.
//!
//! Test doubles (`unittest.mock`), decorators that repeat calls and tracers ask whether a method is a coroutine
//! function, for its signature and for its code, which the interpreter's own type of native methods cannot tell. A
//! [`PyCoroutineMethod`] shows all that from a declaration in Python, an `async def` that never runs, and hands each
//! call to the native method.

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
use crate::gc::contents_at;
use crate::imports::METHOD_TYPE;

/// A native method with the face of a coroutine function. To be put into a class, where it takes part in the protocol
/// of methods: found on an object it is bound to it, found on the class it is itself.
#[pyclass(name = "CoroutineMethod", module = "kafkars._kafkars", frozen, weakref)]
pub(crate) struct PyCoroutineMethod {
    /// Where the interpreter looks for the function to call; `install` tells it so.
    #[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
    vectorcall: ffi::vectorcallfunc,
    /// The native method's function, where it takes its arguments as they lie.
    #[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
    function: Option<ffi::PyCFunctionFastWithKeywords>,
    native: Py<PyAny>,
    declaration: Py<PyAny>,
}

#[pymethods]
impl PyCoroutineMethod {
    #[new]
    fn new(native: Py<PyAny>, declaration: Py<PyAny>) -> Self {
        Self {
            #[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
            vectorcall: hand_on,
            #[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
            function: function_of(&native),
            native,
            declaration,
        }
    }

    #[pyo3(signature = (*arguments, **keywords))]
    fn __call__<'py>(
        &self,
        arguments: &Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.native.bind(arguments.py()).call(arguments, keywords)
    }

    /// Binds the method to an object as the interpreter binds functions, so that its `__func__` is the class's method.
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        instance: &Bound<'py, PyAny>,
        _class: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match instance.is_none() {
            true => Ok(slf.as_any().clone()),
            false => METHOD_TYPE.get(slf.py())?.call1((slf, instance)),
        }
    }

    /// As functions are copied and pickled: by their place.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.declaration
            .bind(py)
            .getattr(intern!(py, "__qualname__"))
    }

    /// What is asked of a function, its class among it, is asked of the declaration. Only what binds, calls and copies
    /// is not.
    fn __getattribute__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_own = |name| {
            matches!(
                name,
                "__get__" | "__call__" | "__reduce__" | "__reduce_ex__"
            )
        };
        if name.to_str().is_ok_and(is_own) {
            let method = slf.get_type().getattr(name)?;
            return method.call_method1(intern!(slf.py(), "__get__"), (slf,));
        }
        slf.get().declaration.bind(slf.py()).getattr(name)
    }

    fn __setattr__(&self, name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.declaration.bind(name.py()).setattr(name, value)
    }

    fn __delattr__(&self, name: &Bound<'_, PyString>) -> PyResult<()> {
        self.declaration.bind(name.py()).delattr(name)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.declaration.bind(py).repr()
    }
}

/// True if an object's method of this name is the native one: neither a subclass, nor tracing, nor the object itself
/// has put another in its place.
pub(crate) fn is_native(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    let py = object.py();
    let found = object.getattr(name)?;
    // Wrappers of tracing show all attributes of what they wrap, so the type comes first.
    if !found.get_type().is(METHOD_TYPE.get(py)?) {
        return Ok(false);
    }
    let function = found.getattr_opt(intern!(py, "__func__"))?;
    Ok(function.is_some_and(|function| function.is_instance_of::<PyCoroutineMethod>()))
}

/// Fills the slots by which the interpreter calls methods without a bound object and a tuple in between. To be called
/// before the first method is made.
#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
pub(crate) fn install(py: Python<'_>) {
    let class = <PyCoroutineMethod as pyo3::PyTypeInfo>::type_object_raw(py);
    let contents = contents_at::<PyCoroutineMethod>();
    let offset = contents + std::mem::offset_of!(PyCoroutineMethod, vectorcall);
    // SAFETY: attached, so nobody else looks at the type, of which no object exists yet. The size shows that the field
    // is where `contents_at` says; a layout of another kind leaves the ordinary slots, which do the same.
    unsafe {
        // Behind it is the list of weak references.
        let size = contents + size_of::<PyCoroutineMethod>() + size_of::<*mut ffi::PyObject>();
        if (*class).tp_basicsize == size as isize {
            (*class).tp_vectorcall_offset = offset as isize;
            (*class).tp_flags |=
                ffi::Py_TPFLAGS_HAVE_VECTORCALL | ffi::Py_TPFLAGS_METHOD_DESCRIPTOR;
        }
    }
}

/// Does nothing: this interpreter does not show its slots.
#[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED))]
pub(crate) fn install(_py: Python<'_>) {}

/// The function of a native method that takes its arguments as they lie. The interpreter calls it without a detour
/// where it knows the method's class, and so does `hand_on`.
#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
fn function_of(native: &Py<PyAny>) -> Option<ffi::PyCFunctionFastWithKeywords> {
    let native = native.as_ptr();
    // SAFETY: the object is alive, and its exact class says that it is a method descriptor, whose definition lives as
    // long. The flags say which function the definition has.
    unsafe {
        if ffi::Py_TYPE(native) != &raw mut ffi::PyMethodDescr_Type {
            return None;
        }
        let method = (*native.cast::<ffi::PyMethodDescrObject>()).d_method;
        let is_fast = (*method).ml_flags == ffi::METH_FASTCALL | ffi::METH_KEYWORDS;
        is_fast.then(|| (*method).ml_meth.PyCFunctionFastWithKeywords)
    }
}

/// Hands a call to the native method, with the arguments where they are.
#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
unsafe extern "C" fn hand_on(
    method: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this attached, with an object of the class and with arguments as the protocol asks
    // for them, which are handed on unchanged. A function is there for method descriptors only, and is called with an
    // object of the descriptor's class; the descriptor refuses what else comes.
    unsafe {
        let py = Python::assume_attached();
        let method = Bound::ref_from_ptr(py, &method).cast_unchecked::<PyCoroutineMethod>();
        let native = method.get().native.as_ptr();
        let given = ffi::PyVectorcall_NARGS(count);
        if let Some(function) = method.get().function
            && given > 0
        {
            let class = (*native.cast::<ffi::PyMethodDescrObject>()).d_common.d_type;
            if ffi::PyObject_TypeCheck(*arguments, class) != 0 {
                return function(*arguments, arguments.add(1), given - 1, names);
            }
        }
        ffi::PyObject_Vectorcall(native, arguments, count, names)
    }
}
