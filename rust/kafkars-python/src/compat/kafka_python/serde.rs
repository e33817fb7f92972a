//! What makes objects of keys and values, and bytes of objects.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A serializer or deserializer, by what it is called with besides the key or value.
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
    /// From a function, whether it is given the topic, and whether it is given the topic and the headers.
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

    /// What it makes of a key or value. It is called for None, too.
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
