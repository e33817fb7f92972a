//! Errors of the embedded broker's handle.

use std::fmt::Display;

use kafkars_broker::EmbeddedBrokerError;
use kafkars_protocol::ErrorCode;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use super::exception::{ErrorContext, attached, broker, local};
use super::local::config;

/// A failed call of the embedded broker.
pub(crate) fn embedded_broker(error: &EmbeddedBrokerError) -> PyErr {
    match error {
        EmbeddedBrokerError::InvalidSetting { .. } => config(error.to_string()),
        EmbeddedBrokerError::Topic { code, topic, .. } => {
            Python::attach(|py| broker(py, *code, error, &ErrorContext::topic(topic)))
        }
        EmbeddedBrokerError::User { .. }
        | EmbeddedBrokerError::Acl { .. }
        | EmbeddedBrokerError::UnknownListener(_) => {
            attached("InvalidArgumentError", error.to_string())
        }
        EmbeddedBrokerError::NoAcls => attached("ClientStateError", error.to_string()),
        EmbeddedBrokerError::Compaction {
            topic, partition, ..
        } => Python::attach(|py| {
            let context = ErrorContext::partition(topic, *partition);
            broker(py, ErrorCode::CorruptMessage, error, &context)
        }),
        EmbeddedBrokerError::UnknownTopic(topic) => Python::attach(|py| {
            let code = ErrorCode::UnknownTopicOrPartition;
            broker(py, code, error, &ErrorContext::topic(topic))
        }),
        EmbeddedBrokerError::UnknownPartition { topic, partition } => Python::attach(|py| {
            local(
                py,
                "InvalidPartitionError",
                error,
                &ErrorContext::partition(topic, *partition),
            )
        }),
        EmbeddedBrokerError::UnknownNode(_) | EmbeddedBrokerError::TooManyNodes(_) => {
            attached("InvalidArgumentError", error.to_string())
        }
        EmbeddedBrokerError::NodeDown(_) => attached("ClientStateError", error.to_string()),
        EmbeddedBrokerError::Busy(_) => attached("KafkaTimeoutError", error.to_string()),
        EmbeddedBrokerError::Stopped => attached("ClosedError", error.to_string()),
        EmbeddedBrokerError::Listen { source, .. } => os_error(source, error),
        EmbeddedBrokerError::Thread(source) => os_error(source, error),
        EmbeddedBrokerError::Storage { .. } => PyOSError::new_err(error.to_string()),
    }
}

/// `OSError` with the system's errno, as Python's sockets raise it.
fn os_error(source: &std::io::Error, message: &dyn Display) -> PyErr {
    match source.raw_os_error() {
        Some(number) => PyOSError::new_err((number, message.to_string())),
        None => PyOSError::new_err(message.to_string()),
    }
}
