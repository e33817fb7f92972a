//! Records whose partition the application's function cannot choose yet, because their topic is not known. That
//! function runs on the application's thread, so they wait in the engine until the event loop calls it, in the order in
//! which they were sent and whether or not they are awaited.

use std::sync::Arc;

use pyo3::exceptions::{PyKeyboardInterrupt, PySystemExit};
use pyo3::intern;
use pyo3::prelude::*;

use super::core::ProducerCore;
use super::pending_send::{TopicWait, WaitingSend};
use super::send_arguments::OwnedRecord;
use crate::aio::{PendingAnswer, PyFuture, running_loop};

impl ProducerCore {
    /// Arranges that the function is called for a send as soon as its topic is known. If no loop runs, that happens
    /// with the next send, or once a loop waits for this one.
    pub(super) fn place_later(
        self: &Arc<Self>,
        py: Python<'_>,
        topic: &str,
        send: &Arc<WaitingSend>,
    ) {
        self.unplaced.push(topic, send);
        // The future refers to the core, and the loop to the future, until the record has waited to its end.
        let (core, topic) = (Arc::clone(self), Box::<str>::from(topic));
        let wait = TopicWait {
            send: Arc::clone(send),
            place: move |py: Python<'_>| core.place_waiting(py, &topic),
        };
        let wait: Arc<dyn PendingAnswer> = Arc::new(wait);
        if !PyFuture::pending(Arc::clone(&wait)).attend(py) {
            send.waits_for_a_loop(wait);
        }
    }

    /// Lets the function choose for every waiting record of a topic, if the topic is known by now. To be called on the
    /// application's thread.
    pub(super) fn place_waiting(&self, py: Python<'_>, topic: &str) {
        if !self.unplaced.has_any() {
            return;
        }
        if !self.is_known(topic) {
            self.unplaced.prune(topic);
            return;
        }
        while let Some(send) = self.unplaced.pop(topic) {
            let choose = |record: &OwnedRecord| {
                let chosen = self.ask_partition(py, &record.topic, record.key.as_deref());
                if let Err(raised) = &chosen {
                    raise_in_loop(py, raised);
                }
                chosen
            };
            if !send.place(choose) {
                self.unplaced.push(topic, &send);
                return;
            }
        }
    }
}

/// Raises an exception that ends the program in the loop, as if a task had raised it; the record's future has it too.
/// If no loop runs, only the future has it.
fn raise_in_loop(py: Python<'_>, raised: &PyErr) {
    let ends_program = raised.is_instance_of::<PyKeyboardInterrupt>(py)
        || raised.is_instance_of::<PySystemExit>(py);
    if ends_program && let Ok(event_loop) = running_loop(py) {
        // This fails only if the loop is closed.
        drop(event_loop.call_method1(intern!(py, "call_soon"), (Raise(raised.clone_ref(py)),)));
    }
}

/// A callback of the loop that raises.
#[pyclass(frozen)]
struct Raise(PyErr);

#[pymethods]
impl Raise {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        Err(self.0.clone_ref(py))
    }
}
