//! The state that a producer of kafka-python's face shares with the futures of its records.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyType;

use super::metadata::MetadataMaker;
use super::serde::Serde;
use crate::producer::ProducerCore;

/// The state that a producer and its futures share.
pub(super) struct KafkaPythonSendEngine {
    pub(super) core: Arc<ProducerCore>,
    pub(super) metadata: MetadataMaker,
    pub(super) reporter: Py<PyAny>,
    pub(super) key: Option<Serde>,
    pub(super) value: Option<Serde>,
    pub(super) future_class: Py<PyType>,
    pub(super) new_future: Py<PyAny>,
    /// Whether Python code chooses partitions, by arguments that the engine's partition functions do not get.
    pub(super) is_placed_outside: bool,
}
