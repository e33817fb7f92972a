//! A rebalance listener, as the application gives it.

use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

/// The application's functions for assigned, revoked and lost partitions.
#[derive(Default)]
pub(crate) struct Listeners {
    pub(crate) assigned: Option<Py<PyAny>>,
    pub(crate) revoked: Option<Py<PyAny>>,
    pub(crate) lost: Option<Py<PyAny>>,
}

impl Listeners {
    /// Shows the functions to the collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.assigned)?;
        visit.call(&self.revoked)?;
        visit.call(&self.lost)
    }

    /// Fails if one of them cannot be called.
    pub(super) fn check(self, py: Python<'_>) -> PyResult<Self> {
        let named = [
            ("on_partitions_assigned", &self.assigned),
            ("on_partitions_revoked", &self.revoked),
            ("on_partitions_lost", &self.lost),
        ];
        for (name, listener) in named {
            if let Some(listener) = listener
                && !listener.bind(py).is_callable()
            {
                return Err(PyTypeError::new_err(format!(
                    "{name}: expected a function, not {}",
                    listener.bind(py).repr()?
                )));
            }
        }
        Ok(self)
    }
}
