//! Deserializers of keys and values: a function of the bytes, or an object that also sees topic and headers.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// The deserializers of one consumer.
pub(crate) struct Deserializers {
    pub(crate) key: Option<Deserializer>,
    pub(crate) value: Option<Deserializer>,
}

impl Deserializers {
    /// Shows the functions to the collector.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut both = self.key.iter().chain(&self.value);
        both.try_for_each(|deserializer| match deserializer {
            Deserializer::Function(object) | Deserializer::Hook(object) => visit.call(object),
        })
    }
}

/// The deserializer of keys, or that of values.
pub(crate) enum Deserializer {
    /// `function(data)`.
    Function(Py<PyAny>),
    /// `object.deserialize(topic, data, headers)`.
    Hook(Py<PyAny>),
}

impl Deserializer {
    /// Finds out, once, how to call the given object.
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match given.getattr_opt("deserialize")? {
            Some(method) if method.is_callable() => Self::Hook(method.unbind()),
            _ => Self::Function(given.clone().unbind()),
        })
    }

    /// Calls the deserializer. `headers` is only called if it sees them.
    pub(crate) fn call<'py>(
        &self,
        topic: &str,
        data: Bound<'py, PyBytes>,
        headers: impl FnOnce() -> PyResult<Bound<'py, PyTuple>>,
    ) -> PyResult<Py<PyAny>> {
        let py = data.py();
        match self {
            Self::Function(function) => function.call1(py, (data,)),
            Self::Hook(method) => method.call1(py, (topic, data, headers()?)),
        }
    }
}
