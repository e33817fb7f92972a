//! A request that the embedded broker has seen, as a Python object.

use kafkars_broker::{FaultAction, SeenRequest};
use kafkars_protocol::DescribedValue;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::error;

/// A request that reached the broker, whatever became of it.
#[pyclass(name = "SeenRequest", module = "kafkars._kafkars", frozen)]
pub(crate) struct PySeenRequest(pub(crate) SeenRequest);

#[pymethods]
impl PySeenRequest {
    /// Kafka's name of the API, such as "Produce".
    #[getter]
    fn api(&self) -> &'static str {
        self.0.api.name()
    }

    /// The version of the API.
    #[getter]
    fn version(&self) -> i16 {
        self.0.version
    }

    /// The id of the node that received it.
    #[getter]
    fn node(&self) -> i32 {
        self.0.node
    }

    /// The number of its connection, from 1 in the order in which connections were accepted.
    #[getter]
    fn connection(&self) -> u64 {
        self.0.connection
    }

    /// The correlation id.
    #[getter]
    fn correlation_id(&self) -> i32 {
        self.0.correlation_id
    }

    /// The client id, if it has one.
    #[getter]
    fn client_id(&self) -> Option<&str> {
        self.0.client_id.as_deref()
    }

    /// Its bytes, header included.
    #[getter]
    fn size(&self) -> usize {
        self.0.size
    }

    /// The time when it was read, in seconds since 1970 on the broker's clock.
    #[getter]
    fn time(&self) -> f64 {
        self.0.time as f64 / 1000.0
    }

    /// What was done to it on purpose: an action ("corrupt" for all that damage the answer) or the name of an
    /// error.
    #[getter]
    fn fault(&self) -> Option<&'static str> {
        Some(match self.0.action? {
            FaultAction::Delay(_) => "delay",
            FaultAction::Drop => "drop",
            FaultAction::Disconnect => "disconnect",
            FaultAction::DisconnectAfter => "disconnect_after",
            FaultAction::Error(code) => code.name(),
            FaultAction::Corrupt(_) => "corrupt",
        })
    }

    /// Its fields by Kafka's names in snake case, decoded when asked for.
    ///
    /// None when they are not kept: of requests above 64 KiB, of the oldest when all together are above 16 MiB, and of
    /// APIs that are not served.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.0.body() {
            None => Ok(None),
            Some(Ok(value)) => to_python(py, value).map(Some),
            Some(Err(failure)) => Err(error::attached("ProtocolError", failure.to_string())),
        }
    }

    fn __repr__(&self) -> String {
        let SeenRequest {
            api,
            version,
            node,
            connection,
            ..
        } = &self.0;
        let client = self.0.client_id.as_deref().unwrap_or("unnamed");
        let api = api.name();
        format!("<{api} v{version} from {client} on connection {connection} to node {node}>")
    }
}

fn to_python(py: Python<'_>, value: DescribedValue) -> PyResult<Bound<'_, PyAny>> {
    match value {
        DescribedValue::Null => Ok(py.None().into_bound(py)),
        DescribedValue::Bool(value) => value.into_bound_py_any(py),
        DescribedValue::Int(value) => value.into_bound_py_any(py),
        DescribedValue::Float(value) => value.into_bound_py_any(py),
        DescribedValue::Text(value) => value.into_bound_py_any(py),
        DescribedValue::Uuid(value) => value.to_string().into_bound_py_any(py),
        DescribedValue::Bytes(value) => Ok(PyBytes::new(py, &value).into_any()),
        DescribedValue::List(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(to_python(py, value)?)?;
            }
            Ok(list.into_any())
        }
        DescribedValue::Struct(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, to_python(py, value)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
