//! Subscriptions and their listeners: calls that never wait.

use std::mem;
use std::sync::Arc;

use kafkars_client::{FetchError, SubscriptionView};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet, PyString};

use super::core::ConsumerCore;
use super::listeners::Listeners;
use crate::error;
use crate::types;

impl ConsumerCore {
    /// `subscribe(topics)` or `subscribe(pattern=...)`.
    pub(crate) fn subscribe(
        &self,
        py: Python<'_>,
        topics: Option<&Bound<'_, PyAny>>,
        pattern: Option<&Bound<'_, PyAny>>,
        listeners: Listeners,
    ) -> PyResult<()> {
        self.subscribe_with(py, listeners, || match (topics, pattern) {
            (Some(topics), None) => topics_of(topics).map(|topics| self.consumer.subscribe(topics)),
            (None, Some(pattern)) => {
                pattern_of(pattern).map(|pattern| self.consumer.subscribe_pattern(&pattern))
            }
            (Some(_), Some(_)) => Err(error::argument(
                "subscribe() takes topics or a pattern, not both",
            )),
            (None, None) => Err(error::argument(
                "subscribe() needs topics, or a pattern of topic names",
            )),
        })
    }

    /// Subscribes to topics that a pattern of the face's own has found.
    pub(crate) fn subscribe_found(
        &self,
        py: Python<'_>,
        topics: &Bound<'_, PyAny>,
        listeners: Listeners,
    ) -> PyResult<()> {
        self.subscribe_with(py, listeners, || {
            topics_of(topics).map(|topics| self.consumer.subscribe_found(topics))
        })
    }

    fn subscribe_with(
        &self,
        py: Python<'_>,
        listeners: Listeners,
        subscribe: impl FnOnce() -> PyResult<Result<(), FetchError>>,
    ) -> PyResult<()> {
        self.check_open()?;
        let listeners = listeners.check(py)?;
        let before = self.listeners.lock().replace(Arc::new(listeners));
        let outcome = subscribe();
        let outcome = outcome.and_then(|told| told.map_err(|failure| error::fetch(py, &failure)));
        match outcome {
            Ok(()) => self.note_subscribed(),
            Err(_) => {
                // Dropping an object may run any code, so it happens outside of the lock.
                let refused = mem::replace(&mut *self.listeners.lock(), before);
                drop(refused);
            }
        }
        outcome
    }

    /// The subscribed topics; empty with a pattern or without a subscription.
    pub(crate) fn subscription<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.check()?;
        match self.consumer.subscription() {
            Some(SubscriptionView::Topics(topics)) => {
                PyFrozenSet::new(py, topics.iter().map(|topic| &**topic))
            }
            Some(SubscriptionView::Pattern(_)) | None => PyFrozenSet::empty(py),
        }
    }

    /// `enforce_rebalance(reason)`.
    pub(crate) fn enforce_rebalance(&self, py: Python<'_>, reason: String) -> PyResult<()> {
        self.check_open()?;
        let told = self.consumer.enforce_rebalance(reason);
        told.map_err(|failure| error::fetch(py, &failure))
    }

    /// `kafkars.types.ConsumerGroupMetadata`.
    pub(crate) fn group_metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check_open()?;
        let found = self.consumer.group_identity();
        let (group, identity) = found.map_err(|failure| error::fetch(py, &failure))?;
        let instance = self.consumer.config().group.as_ref();
        let instance = instance.and_then(|group| group.group_instance_id.as_deref());
        types::group_metadata(
            py,
            &group,
            identity.as_ref().map_or(-1, |identity| identity.generation),
            identity.as_ref().map_or("", |identity| &identity.member_id),
            instance,
        )
    }
}

/// The name of a topic. Text that starts with `^` is a pattern, which other libraries take here.
fn name_of<'a>(topic: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    let name = topic.to_str()?;
    match name.starts_with('^') {
        true => Err(error::argument(format!(
            "subscribe() takes names of topics; give a pattern as subscribe(pattern={})",
            topic.repr()?
        ))),
        false => Ok(name),
    }
}

fn topics_of(topics: &Bound<'_, PyAny>) -> PyResult<Vec<Arc<str>>> {
    if let Ok(topic) = topics.cast::<PyString>() {
        return Ok(vec![name_of(topic)?.into()]);
    }
    let members = topics.try_iter();
    if topics.is_instance_of::<PyBytes>() || members.is_err() {
        return Err(PyTypeError::new_err(format!(
            "subscribe() takes the name of a topic or a list of names, not {}",
            topics.repr()?
        )));
    }
    let names = members?.map(|topic| {
        let topic = topic?;
        match topic.cast::<PyString>() {
            Ok(name) => Ok(Arc::from(name_of(name)?)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "subscribe() takes names of topics, not {}",
                topic.repr()?
            ))),
        }
    });
    names.collect()
}

/// A pattern as text, or as `re.compile()` made it.
fn pattern_of(pattern: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = pattern.cast::<PyString>() {
        return Ok(text.to_str()?.to_owned());
    }
    let source = pattern.getattr(intern!(pattern.py(), "pattern"));
    match source.and_then(|source| source.extract()) {
        Ok(source) => Ok(source),
        Err(_) => Err(PyTypeError::new_err(format!(
            "pattern: expected text or a compiled pattern of text, not {}",
            pattern.repr()?
        ))),
    }
}
