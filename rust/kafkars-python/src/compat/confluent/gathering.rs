//! `consume()`: many messages in one call, and the calls of the asyncio client that take many.

use std::collections::HashSet;
use std::iter::repeat_n;
use std::sync::Arc;
use std::time::Instant;

use kafkars_client::RecordSlice;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::message::PyMessage;
use super::open_consumer::{OpenConsumer, TakenMessage, named};
use super::unreturned::CallNumber;
use crate::record;

impl OpenConsumer {
    /// Up to `wanted` messages. None of them is returned before this is over.
    pub(super) fn gather<'py>(
        &self,
        py: Python<'py>,
        wanted: usize,
        deadline: Option<Instant>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut gathered = Gathered::new(self.unreturned.begin());
        let result = self.gather_into(py, wanted, deadline, &mut gathered);
        let returned = self.unreturned.end(gathered.by, &self.core.consumer);
        for batch in &returned.batches {
            self.reading.note(batch);
        }
        let messages = gathered.without(&returned.stale);
        match result {
            Err(problem) if messages.is_empty() => return Err(problem),
            // Ctrl+C, or an exception of a callback: what is there counts as handed out, so it is, and the next call
            // raises.
            Err(problem) => self.raise_later(py, problem),
            Ok(()) => {}
        }
        Ok(messages)
    }

    fn gather_into<'py>(
        &self,
        py: Python<'py>,
        wanted: usize,
        deadline: Option<Instant>,
        gathered: &mut Gathered<'py>,
    ) -> PyResult<()> {
        while gathered.messages.len() < wanted {
            // The messages so far belong to this member until the program is told otherwise, which happens with its
            // next call.
            if !gathered.messages.is_empty() && self.core.consumer.has_change() {
                break;
            }
            if self.has_work(py)
                && let Some(message) = self.serve(py)?
            {
                gathered.add(message, 0);
                continue;
            }
            if !self.gather_more(py, wanted, deadline, gathered)? {
                break;
            }
        }
        Ok(())
    }

    /// Adds what is there, or waits a little; false if there is nothing to wait for.
    fn gather_more<'py>(
        &self,
        py: Python<'py>,
        wanted: usize,
        deadline: Option<Instant>,
        gathered: &mut Gathered<'py>,
    ) -> PyResult<bool> {
        match self.take(py, wanted - gathered.messages.len(), gathered)? {
            TakenMessage::Message(message) => gathered.add(message, 0),
            TakenMessage::Nothing => {}
            TakenMessage::Closed => return Ok(false),
            TakenMessage::Empty => {
                let ends = self.ends.as_ref();
                let end = ends.and_then(|ends| {
                    self.unreturned
                        .take_end(gathered.by, ends, &self.core.consumer)
                });
                match end {
                    Some(end) => gathered.add(self.message_of_end(py, &end)?, end.place),
                    None => return self.wait(py, deadline),
                }
            }
        }
        Ok(true)
    }

    /// Takes up to `most` messages from the buffer, and returns `TakenMessage::Nothing` if there were any.
    fn take<'py>(
        &self,
        py: Python<'py>,
        most: usize,
        gathered: &mut Gathered<'py>,
    ) -> PyResult<TakenMessage<'py>> {
        self.core.check()?;
        let is_first = gathered.messages.is_empty();
        let taken = self.unreturned.take(
            gathered.by,
            most,
            is_first,
            &self.core.consumer,
            &self.reading,
        );
        let slices = match taken {
            Ok(slices) if slices.is_empty() => return Ok(TakenMessage::Empty),
            Ok(slices) => slices,
            Err(failure) => return self.failed(py, &failure),
        };
        for (number, slice) in slices.iter().enumerate() {
            let before = gathered.messages.len();
            if let Err(problem) = make_messages(py, slice, &mut gathered.messages) {
                // There is no memory: they are read again.
                gathered.messages.truncate(before);
                let mut places = HashSet::new();
                let rest = slices[number..].iter();
                for slice in rest.filter(|slice| places.insert(slice.place)) {
                    let partition = named(&slice.batch.topic, slice.batch.partition);
                    let first = slice.batch.batch.record_at(slice.start);
                    self.hand_back(&partition, Some(first.offset));
                }
                return Err(problem);
            }
            gathered.note(slice.place, gathered.messages.len() - before);
        }
        Ok(TakenMessage::Nothing)
    }

    /// As `take()`, for a caller that counts itself what it has not returned.
    pub(super) fn take_uncounted<'py>(
        &self,
        py: Python<'py>,
        most: usize,
        messages: &mut Vec<Bound<'py, PyAny>>,
    ) -> PyResult<TakenMessage<'py>> {
        self.core.check()?;
        let slices = match self.core.consumer.try_take(most) {
            Ok(slices) if slices.is_empty() => return Ok(TakenMessage::Empty),
            Ok(slices) => slices,
            Err(failure) => return self.failed(py, &failure),
        };
        for slice in &slices {
            make_messages(py, slice, messages)?;
        }
        Ok(TakenMessage::Nothing)
    }

    /// Drops messages of partitions that the group has given to others already.
    pub(super) fn drop_lost(
        &self,
        py: Python<'_>,
        messages: &mut Vec<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let consumer = &self.core.consumer;
        if messages.is_empty() || !consumer.has_event() {
            return Ok(());
        }
        let lost = consumer.lost();
        if lost.is_empty() {
            return Ok(());
        }
        let kept: Vec<bool> = messages
            .iter()
            .map(|message| {
                let message = message.cast::<PyMessage>()?.get();
                let (Some(topic), Some(partition)) = (message.topic(py), message.partition())
                else {
                    return Ok(true);
                };
                Ok(!lost.contains(&named(
                    topic.bind(py).cast::<PyString>()?.to_str()?,
                    partition,
                )))
            })
            .collect::<PyResult<_>>()?;
        let mut kept = kept.into_iter();
        messages.retain(|_| kept.next().unwrap_or(true));
        Ok(())
    }
}

/// What a call has gathered.
struct Gathered<'py> {
    by: CallNumber,
    messages: Vec<Bound<'py, PyAny>>,
    /// Runs of messages: the place that they were taken in, 0 for those of no place, and how many they are.
    runs: Vec<(u64, usize)>,
}

impl<'py> Gathered<'py> {
    fn new(by: CallNumber) -> Self {
        Self {
            by,
            messages: Vec::new(),
            runs: Vec::new(),
        }
    }

    fn add(&mut self, message: Bound<'py, PyAny>, place: u64) {
        self.messages.push(message);
        self.note(place, 1);
    }

    fn note(&mut self, place: u64, count: usize) {
        match self.runs.last_mut() {
            Some((last, number)) if *last == place => *number += count,
            _ => self.runs.push((place, count)),
        }
    }

    /// All messages but those of these places.
    fn without(self, stale: &HashSet<u64>) -> Vec<Bound<'py, PyAny>> {
        if stale.is_empty() {
            return self.messages;
        }
        let runs = self.runs.into_iter();
        let kept = runs.flat_map(|(place, count)| repeat_n(!stale.contains(&place), count));
        let kept = self.messages.into_iter().zip(kept);
        kept.filter_map(|(message, is_kept)| is_kept.then_some(message))
            .collect()
    }
}

/// Makes the messages of records that were taken.
fn make_messages<'py>(
    py: Python<'py>,
    slice: &RecordSlice,
    messages: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    record::prepare(py, &slice.batch, None);
    messages.reserve(slice.count as usize);
    let mut position = slice.start;
    for _ in 0..slice.count {
        let view = slice.batch.batch.record_at(position);
        position = view.next;
        let message = PyMessage::fetched(py, Arc::clone(&slice.batch), view)?;
        messages.push(message.into_any());
    }
    Ok(())
}
