//! Exceptions of callbacks while a call has more to do: they are kept, and raised at the end together with the call's
//! own error.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

/// How many exceptions of callbacks are kept. A callback may raise one for every record, and a few say what is wrong.
const MOST: usize = 16;

/// How many `__context__` links are followed, which may form a circle.
const MOST_CONTEXTS: usize = 100;

/// The exceptions of callbacks during one call.
#[derive(Default)]
pub(super) struct Failures {
    errors: Vec<PyErr>,
    interrupt: Option<PyErr>,
}

impl Failures {
    /// Calls `call` again until it raises nothing, and keeps its exceptions. An interrupt is not a callback's failure
    /// and is returned.
    pub(super) fn collect<T>(&mut self, mut call: impl FnMut() -> PyResult<T>) -> PyResult<T> {
        loop {
            match call() {
                Err(error) if !Python::attach(|py| is_interrupt(py, &error)) => self.keep(error),
                other => return other,
            }
        }
    }

    fn keep(&mut self, error: PyErr) {
        if self.errors.len() < MOST {
            self.errors.push(error);
        }
    }

    /// Notes an interrupt; the second one ends the call.
    pub(super) fn interrupted(&mut self, error: PyErr) -> PyResult<()> {
        match self.interrupt.replace(error) {
            None => Ok(()),
            Some(first) => Err(first),
        }
    }

    /// The result of a call whose callbacks have raised these: an interrupt comes first, then the call's own error,
    /// then what callbacks raised. Each is the `__context__` of the one before.
    pub(super) fn tell<T>(self, py: Python<'_>, result: PyResult<T>) -> PyResult<T> {
        let (value, own) = match result {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(error)),
        };
        let mut errors = self.interrupt.into_iter().chain(own).chain(self.errors);
        match (errors.next(), value) {
            (None, Some(value)) => Ok(value),
            (Some(first), _) => Err(with_context(py, first, errors)),
            // Not reached: there is a value or an error.
            (None, None) => Err(crate::error::closed("producer")),
        }
    }
}

/// Chains exceptions by their `__context__`, as the interpreter does when one is raised while another is handled.
fn with_context(py: Python<'_>, first: PyErr, others: impl Iterator<Item = PyErr>) -> PyErr {
    let mut told = contexts(py, &first);
    for other in others {
        // The same exception may be raised again, or have a context that is in the chain already, which would make a
        // circle.
        let mut new = contexts(py, &other);
        let is_told = |error: &PyErr| told.iter().any(|known| known.value(py).is(error.value(py)));
        if let Some(meeting) = new.iter().position(is_told) {
            new.truncate(meeting);
        }
        if let (Some(last), Some(next)) = (told.last(), new.first()) {
            let next = next.clone_ref(py);
            if let Some(end) = new.last() {
                end.set_context(py, None);
            }
            last.set_context(py, Some(next));
            told.append(&mut new);
        }
    }
    first
}

/// An exception, its context, the context of that, and so on, up to a limit.
fn contexts(py: Python<'_>, error: &PyErr) -> Vec<PyErr> {
    let next = |error: &PyErr| error.context(py);
    std::iter::successors(Some(error.clone_ref(py)), next)
        .take(MOST_CONTEXTS)
        .collect()
}

/// True if an exception is to end the program, as Ctrl+C does, and is not the failure of a function.
pub(super) fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    !error.is_instance_of::<PyException>(py)
}
