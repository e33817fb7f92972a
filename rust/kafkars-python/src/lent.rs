//! Objects of the application that the engine calls from its own tasks: functions that return credentials, assignors.
//!
//! They often are methods of the object that owns the client. The collector does not see the engine's tasks, so the
//! client's Python object shows it what they were lent: it then sees that owner and client hold only each other.

use std::sync::Arc;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

/// An object that is lent to the engine. All clones share one reference.
#[derive(Clone)]
pub(crate) struct Lent(Arc<Py<PyAny>>);

/// The objects that one client has lent.
#[derive(Default)]
pub(crate) struct LentObjects(Vec<Lent>);

impl Lent {
    /// Returns the object, for the time of a call: the collector sees the other reference then.
    pub(crate) fn take<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.bind(py).clone()
    }
}

impl LentObjects {
    /// Lends an object to the engine.
    pub(crate) fn lend(&mut self, object: &Bound<'_, PyAny>) -> Lent {
        let lent = Lent(Arc::new(object.clone().unbind()));
        self.0.push(lent.clone());
        lent
    }

    /// Shows the objects to the collector. Only one Python object of a client may do so, since each reference is
    /// counted once.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut objects = self.0.iter();
        objects.try_for_each(|lent| visit.call(&*lent.0))
    }
}
