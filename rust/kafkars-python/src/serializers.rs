//! Serializers of keys and values: a function of the object, or an object that also sees topic and headers.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyMapping};

/// The serializers of one producer; `None` where keys or values are bytes already.
pub(crate) struct Serializers {
    pub(crate) key: Option<Serializer>,
    pub(crate) value: Option<Serializer>,
    /// True if one of them may look at the headers and add to them.
    pub(crate) see_headers: bool,
}

impl Serializers {
    pub(crate) fn new(key: Option<Serializer>, value: Option<Serializer>) -> Self {
        let both = [&key, &value];
        let see_headers = both.into_iter().flatten().any(Serializer::sees_headers);
        Self {
            key,
            value,
            see_headers,
        }
    }

    /// Shows the functions to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut both = self.key.iter().chain(&self.value);
        both.try_for_each(|serializer| serializer.traverse(visit))
    }
}

/// The serializer of a producer's keys, or that of its values.
pub(crate) enum Serializer {
    /// `function(value)`.
    Function(Py<PyAny>),
    /// `object.serialize(topic, value, headers)`.
    Hook(Py<PyAny>),
}

impl Serializer {
    /// Finds out, once, how to call the given object.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match given.getattr_opt("serialize")? {
            Some(method) if method.is_callable() => Self::Hook(method.unbind()),
            _ => Self::Function(given.clone().unbind()),
        })
    }

    /// Shows the function to the collector.
    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Function(object) | Self::Hook(object) => visit.call(object),
        }
    }

    /// True if it may add headers.
    fn sees_headers(&self) -> bool {
        matches!(self, Self::Hook(_))
    }

    /// Calls the serializer.
    pub(crate) fn call<'py>(
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
pub(crate) fn header_list<'py>(
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
