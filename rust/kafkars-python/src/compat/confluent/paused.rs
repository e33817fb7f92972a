//! Messages that a call has taken of partitions that are paused before it returns.

use std::collections::HashSet;

use kafkars_client::config::TopicPartition;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::message::PyMessage;

/// The number of `_PARTITION_EOF`.
const PARTITION_EOF: i32 = -191;

/// Takes out the messages of these partitions, and returns which of them had any. What says that a partition was
/// read to its end goes with them, and comes again after them; other errors stay, since they are told once.
pub(super) fn take_out(
    py: Python<'_>,
    paused: Vec<TopicPartition>,
    messages: &mut Vec<Bound<'_, PyAny>>,
) -> PyResult<HashSet<TopicPartition>> {
    let mut had = HashSet::new();
    if paused.is_empty() {
        return Ok(had);
    }
    let mut kept = Vec::with_capacity(messages.len());
    for message in messages.iter() {
        let (found, is_kept) = {
            let message = message.cast::<PyMessage>()?.get();
            match place(py, message, &paused)? {
                None => (None, true),
                Some(place) => match message.error(py) {
                    None => (Some(place), false),
                    Some(error) => (None, !is_end(error.bind(py))?),
                },
            }
        };
        had.extend(found);
        kept.push(is_kept);
    }
    let mut kept = kept.into_iter();
    messages.retain(|_| kept.next().unwrap_or(true));
    Ok(had)
}

/// The partition of a message, if it is one of these.
fn place(
    py: Python<'_>,
    message: &PyMessage,
    among: &[TopicPartition],
) -> PyResult<Option<TopicPartition>> {
    let (Some(topic), Some(partition)) = (message.topic(py), message.partition()) else {
        return Ok(None);
    };
    let topic = topic.bind(py).cast::<PyString>()?.to_str()?;
    let is_it = |at: &&TopicPartition| at.partition == partition && *at.topic == *topic;
    Ok(among.iter().find(is_it).cloned())
}

fn is_end(error: &Bound<'_, PyAny>) -> PyResult<bool> {
    let code = error.call_method0(intern!(error.py(), "code"))?;
    Ok(code.extract::<i32>()? == PARTITION_EOF)
}
