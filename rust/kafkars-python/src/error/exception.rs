//! How an exception of `kafkars.errors` is made: its class by name or by a broker's code, its message, and what it is
//! about.

use std::fmt::Display;
use std::sync::Arc;

use kafkars_client::config::TopicPartition;
use kafkars_protocol::{ErrorCode, printable};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyMemoryError, PyRecursionError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::imports::errors;

/// The longest message of an error, in bytes.
const LONGEST_MESSAGE: usize = 10_000;

/// What the message of an error is about.
#[derive(Default)]
pub(super) struct ErrorContext<'a> {
    pub(super) topic: Option<&'a str>,
    pub(super) partition: Option<i32>,
    pub(super) offset: Option<i64>,
    pub(super) node: Option<i32>,
}

impl<'a> ErrorContext<'a> {
    pub(super) fn topic(topic: &'a str) -> Self {
        Self {
            topic: Some(topic),
            ..Self::default()
        }
    }

    pub(super) fn partition(topic: &'a str, partition: i32) -> Self {
        Self {
            topic: Some(topic),
            partition: Some(partition),
            offset: None,
            node: None,
        }
    }

    pub(super) fn of(partition: &'a TopicPartition) -> Self {
        Self::partition(&partition.topic, partition.partition)
    }

    pub(super) fn on(self, node: i32) -> Self {
        Self {
            node: Some(node),
            ..self
        }
    }

    pub(super) fn at(self, offset: i64) -> Self {
        Self {
            offset: Some(offset),
            ..self
        }
    }
}

/// An error whose class is a broker's code.
pub(super) fn broker(
    py: Python<'_>,
    code: ErrorCode,
    message: &dyn Display,
    context: &ErrorContext<'_>,
) -> PyErr {
    let made = errors(py).and_then(|errors| {
        let class = errors
            .getattr("BY_CODE")?
            .call_method1("get", (code.code(),))?;
        if !class.is_none() {
            return instance(&class, message, context);
        }
        // A code that is newer than the table: the base class with the code's number.
        let error = instance(&errors.getattr("BrokerError")?, message, context)?;
        error.setattr("code", code.code())?;
        Ok(error)
    });
    finish(made)
}

/// The same with the broker's own words beside ours, where it sent any.
pub(super) fn with_words(py: Python<'_>, made: PyErr, words: Option<&str>) -> PyErr {
    let Some(words) = words else { return made };
    match made.value(py).setattr("broker_message", text(&words)) {
        Ok(()) => made,
        Err(problem) => problem,
    }
}

pub(super) fn bootstrap<C: Display>(
    py: Python<'_>,
    message: &dyn Display,
    causes: &[(Arc<str>, C)],
) -> PyErr {
    let made = errors(py).and_then(|errors| {
        let causes = causes
            .iter()
            .map(|(address, cause)| (text(address), text(cause)));
        let causes: Vec<_> = causes.collect();
        let keywords = PyDict::new(py);
        keywords.set_item("causes", PyTuple::new(py, causes)?)?;
        errors
            .getattr("BootstrapError")?
            .call((text(message),), Some(&keywords))
    });
    finish(made)
}

pub(super) fn local(
    py: Python<'_>,
    class: &str,
    message: &dyn Display,
    context: &ErrorContext<'_>,
) -> PyErr {
    finish(errors(py).and_then(|errors| instance(&errors.getattr(class)?, message, context)))
}

/// Makes an error for callers that are attached but hold no token.
pub(crate) fn attached(class: &'static str, message: impl Into<String>) -> PyErr {
    let message = message.into();
    Python::attach(|py| local(py, class, &message, &ErrorContext::default()))
}

/// The error of a setting, for callers that are attached but hold no token.
pub(super) fn of_setting(name: &str, problem: &dyn Display) -> PyErr {
    Python::attach(|py| {
        let made = errors(py).and_then(|errors| {
            let keywords = PyDict::new(py);
            keywords.set_item("setting", name)?;
            let class = errors.getattr("ConfigError")?;
            class.call((text(problem),), Some(&keywords))
        });
        finish(made)
    })
}

fn instance<'py>(
    class: &Bound<'py, PyAny>,
    message: &dyn Display,
    context: &ErrorContext<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let keywords = PyDict::new(py);
    if let Some(topic) = context.topic {
        keywords.set_item("topic", topic)?;
    }
    if let Some(partition) = context.partition {
        keywords.set_item("partition", partition)?;
    }
    if let Some(offset) = context.offset {
        keywords.set_item("offset", offset)?;
    }
    let error = class.call((PyString::new(py, &text(message)),), Some(&keywords))?;
    if let Some(node) = context.node {
        error.setattr("broker", node)?;
    }
    Ok(error)
}

/// The text of a message, which may have text and names from brokers: on one line, and of bounded length.
fn text(message: &dyn Display) -> String {
    printable(&message.to_string(), LONGEST_MESSAGE).into_owned()
}

fn finish(made: PyResult<Bound<'_, PyAny>>) -> PyErr {
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// True if an exception is one of `kafkars.errors`.
pub(crate) fn is_ours(py: Python<'_>, error: &PyErr) -> bool {
    let class = errors(py).and_then(|errors| errors.getattr("KafkaError"));
    class.is_ok_and(|class| error.is_instance(py, &class))
}

/// True if what should have been one of `kafkars.errors` is an exception of the handler of a signal, which came while
/// it was made. A lack of memory or of stack would show again when it is tried once more.
pub(crate) fn is_of_signal(py: Python<'_>, error: &PyErr) -> bool {
    let is_lasting =
        error.is_instance_of::<PyMemoryError>(py) || error.is_instance_of::<PyRecursionError>(py);
    !is_lasting && !is_ours(py, error)
}

/// An exception with another one as its cause. What is no error of ours comes of a signal, whose handler has raised
/// while the cause was made: it counts, and does not get lost as a cause.
pub(super) fn with_cause(py: Python<'_>, made: PyErr, cause: PyErr) -> PyErr {
    if !is_ours(py, &cause) {
        return cause;
    }
    made.set_cause(py, Some(cause));
    made
}

/// An exception of the program's functions where `End` would pass for the end of an iteration or of the waiting, so
/// that nobody heard of it. As in generators and coroutines (PEP 479) it is a RuntimeError then.
pub(crate) fn no_end<End: PyTypeInfo>(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<End>(py) {
        return error;
    }
    let made = PyRuntimeError::new_err("a function of the program raised the end of an iteration");
    made.set_cause(py, Some(error));
    made
}
