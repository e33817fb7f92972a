//! What makes bytes of keys and values: a function of the object, or an object that also sees topic and headers.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping};

/// One of a producer's two serializers.
pub(crate) enum Serializer {
    /// `function(value)`.
    Function(Py<PyAny>),
    /// `object.serialize(topic, value, headers)`.
    Hook(Py<PyAny>),
}

impl Serializer {
    /// Looks once at what there is to call.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match given.getattr_opt("serialize")? {
            Some(method) if method.is_callable() => Self::Hook(method.unbind()),
            _ => Self::Function(given.clone().unbind()),
        })
    }

    /// Shows the function to the collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Function(object) | Self::Hook(object) => visit.call(object),
        }
    }

    /// Whether it may add headers.
    pub(super) fn sees_headers(&self) -> bool {
        matches!(self, Self::Hook(_))
    }

    /// Calls it.
    pub(super) fn call<'py>(
        &self,
        topic: &str,
        value: &Bound<'py, PyAny>,
        headers: Option<&Bound<'py, PyList>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        match self {
            Self::Function(function) => function.bind(py).call1((value,)),
            Self::Hook(method) => method.bind(py).call1((topic, value, headers)),
        }
    }
}

/// Headers as a list that serializers may add to.
pub(super) fn header_list<'py>(
    py: Python<'py>,
    given: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let Some(given) = given else {
        return Ok(PyList::empty(py));
    };
    match given.cast::<PyMapping>() {
        Ok(mapping) => mapping.items(),
        Err(_) => PyList::new(py, given.try_iter()?.collect::<PyResult<Vec<_>>>()?),
    }
}
