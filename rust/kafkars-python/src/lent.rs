//! Objects of the application that the engine calls by itself: functions that give credentials, assignors.
//!
//! They often are methods of what owns the client. The engine's tasks are out of the collector's sight, so the client's
//! Python object shows what they were lent: owner and client are then seen to hold only each other.

use std::sync::Arc;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

/// An object that the engine was lent. All clones share one reference.
#[derive(Clone)]
pub(crate) struct Lent(Arc<Py<PyAny>>);

/// The objects that one client has lent.
#[derive(Default)]
pub(crate) struct LentObjects(Vec<Lent>);

impl Lent {
    /// The object, for the time of a call: the collector sees that somebody else has it.
    pub(crate) fn take<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.bind(py).clone()
    }
}

impl LentObjects {
    /// What the engine is to have of an object.
    pub(crate) fn lend(&mut self, object: &Bound<'_, PyAny>) -> Lent {
        let lent = Lent(Arc::new(object.clone().unbind()));
        self.0.push(lent.clone());
        lent
    }

    /// Shows the objects to the collector. For one Python object of a client only, since each is counted once.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut objects = self.0.iter();
        objects.try_for_each(|lent| visit.call(&*lent.0))
    }
}
