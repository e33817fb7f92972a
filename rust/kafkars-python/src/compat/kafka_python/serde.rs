//! Serializers and deserializers of keys and values.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A serializer or deserializer, and what it is called with besides the key or value.
pub(super) struct Serde {
    function: Py<PyAny>,
    takes: Takes,
}

#[derive(Clone, Copy)]
enum Takes {
    Data,
    TopicAndData,
    TopicHeadersAndData,
}

impl Serde {
    /// Takes a function, whether it is given the topic, and whether it is given the topic and the headers.
    pub(super) fn new(given: (Py<PyAny>, bool, bool)) -> Self {
        let (function, topic, headers) = given;
        let takes = match (topic, headers) {
            (_, true) => Takes::TopicHeadersAndData,
            (true, false) => Takes::TopicAndData,
            (false, false) => Takes::Data,
        };
        Self { function, takes }
    }

    /// Shows the function to the collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)
    }

    /// Calls the function with a key or value, also with None.
    pub(super) fn call<'py>(
        &self,
        topic: &Bound<'py, PyString>,
        headers: &Bound<'py, PyAny>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.function.bind(topic.py());
        match self.takes {
            Takes::Data => function.call1((data,)),
            Takes::TopicAndData => function.call1((topic, data)),
            Takes::TopicHeadersAndData => function.call1((topic, headers, data)),
        }
    }
}
