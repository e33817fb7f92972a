//! The objects of the partition where a record was stored, which records of a batch share.

use std::sync::Arc;

use kafkars_client::RecordMetadata;
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use super::tuple::TupleClass;

/// Makes `TopicPartition` objects of a face, and keeps the last one.
pub(super) struct PartitionTuples {
    class: TupleClass,
    // Never held while the interpreter runs.
    last: Mutex<Option<PartitionTuple>>,
}

struct PartitionTuple {
    topic: Arc<str>,
    partition: i32,
    topic_object: Py<PyString>,
    object: Py<PyAny>,
}

impl PartitionTuples {
    /// `class` is `TopicPartition`.
    pub(super) fn new(class: &Bound<'_, PyType>) -> PyResult<Self> {
        Ok(Self {
            class: TupleClass::new(class)?,
            last: Mutex::default(),
        })
    }

    /// The topic's name, and the partition.
    #[inline]
    pub(super) fn of<'py>(
        &self,
        py: Python<'py>,
        metadata: &RecordMetadata,
    ) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyAny>)> {
        if let Some(last) = &*self.last.lock()
            && last.partition == metadata.partition
            && Arc::ptr_eq(&last.topic, &metadata.topic)
        {
            let (topic, object) = (&last.topic_object, &last.object);
            return Ok((topic.bind(py).clone(), object.bind(py).clone()));
        }
        let topic = PyString::intern(py, &metadata.topic);
        let number = metadata.partition.into_bound_py_any(py)?;
        let items = [topic.clone().into_any(), number];
        let object = self.class.make_untracked(py, items)?;
        let known = PartitionTuple {
            topic: Arc::clone(&metadata.topic),
            partition: metadata.partition,
            topic_object: topic.clone().unbind(),
            object: object.clone().unbind(),
        };
        let replaced = self.last.lock().replace(known);
        drop(replaced);
        Ok((topic, object))
    }
}
