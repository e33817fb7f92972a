//! `kafka.producer.future.RecordMetadata` of a record that was stored.

use std::sync::Arc;

use kafkars_client::RecordMetadata;
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::compat::tuple::TupleClass;

/// Makes metadata of the face's classes.
pub(super) struct MetadataMaker {
    class: TupleClass,
    partition_class: TupleClass,
    // Guards the objects of the last partition, which records of a batch share.
    last: Mutex<Option<PartitionTuple>>,
}

struct PartitionTuple {
    topic: Arc<str>,
    partition: i32,
    topic_object: Py<PyString>,
    object: Py<PyAny>,
}

impl MetadataMaker {
    /// `class` has the fields in the order of kafka-python 2.3 and 3, `partition_class` is `TopicPartition`.
    pub(super) fn new(
        class: &Bound<'_, PyType>,
        partition_class: &Bound<'_, PyType>,
    ) -> PyResult<Self> {
        Ok(Self {
            class: TupleClass::new(class)?,
            partition_class: TupleClass::new(partition_class)?,
            last: Mutex::default(),
        })
    }

    /// The metadata of a record with this many bytes of headers, or -1.
    pub(super) fn make<'py>(
        &self,
        py: Python<'py>,
        metadata: &RecordMetadata,
        headers_size: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (topic, partition) = self.partition(py, metadata)?;
        let fields = [
            topic.into_any(),
            metadata.partition.into_bound_py_any(py)?,
            partition,
            metadata.offset.into_bound_py_any(py)?,
            metadata.timestamp.into_bound_py_any(py)?,
            // Batches have one checksum for all of their records.
            py.None().into_bound(py),
            metadata.serialized_key_size.into_bound_py_any(py)?,
            metadata.serialized_value_size.into_bound_py_any(py)?,
            headers_size.into_bound_py_any(py)?,
        ];
        self.class.make_untracked(py, fields)
    }

    /// The topic's name, and the partition.
    fn partition<'py>(
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
        let object = self.partition_class.make_untracked(py, items)?;
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
