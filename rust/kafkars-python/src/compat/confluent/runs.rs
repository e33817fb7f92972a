//! Where the messages of a list are from: what a call of asyncio has taken is asked for by partition.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::message::PyMessage;

/// Messages that lie behind each other and are of one partition, or one message that stands for an error: topic,
/// partition, the numbers of the first and of the one behind the last, and the lowest offset.
type MessageRun = (Option<Py<PyAny>>, Option<i32>, usize, usize, Option<i64>);

/// The runs of a list of messages, from a number on. An error has no offset.
#[pyfunction]
pub(crate) fn runs_of_messages(
    py: Python<'_>,
    messages: &Bound<'_, PyList>,
    start: usize,
) -> PyResult<Vec<MessageRun>> {
    let mut runs: Vec<MessageRun> = Vec::new();
    let mut last = None;
    for number in start..messages.len() {
        let message = messages.get_item(number)?;
        let message = message.cast::<PyMessage>()?.get();
        let batch = message.fetched_batch().map(Arc::as_ptr);
        // A batch is in the order of its offsets, and its address another's only when nothing refers to it any more.
        if batch.is_some()
            && batch == last
            && let Some(run) = runs.last_mut()
        {
            run.3 = number + 1;
            continue;
        }
        last = batch;
        let offset = match message.error(py) {
            Some(_) => None,
            None => message.offset(),
        };
        let (topic, partition) = (message.topic(py), message.partition());
        runs.push((topic, partition, number, number + 1, offset));
    }
    Ok(runs)
}
