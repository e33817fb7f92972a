//! `kafka.producer.future.RecordMetadata` of a record that was stored.

use kafkars_client::RecordMetadata;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::compat::partition_tuple::PartitionTuples;
use crate::compat::tuple::TupleClass;

/// Makes metadata of the face's classes.
pub(super) struct MetadataMaker {
    class: TupleClass,
    partitions: PartitionTuples,
}

impl MetadataMaker {
    /// `class` has the fields in the order of kafka-python 2.3 and 3, `partition_class` is `TopicPartition`.
    pub(super) fn new(
        class: &Bound<'_, PyType>,
        partition_class: &Bound<'_, PyType>,
    ) -> PyResult<Self> {
        Ok(Self {
            class: TupleClass::new(class)?,
            partitions: PartitionTuples::new(partition_class)?,
        })
    }

    /// The metadata of a record with this many bytes of headers, or -1.
    pub(super) fn make<'py>(
        &self,
        py: Python<'py>,
        metadata: &RecordMetadata,
        headers_size: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (topic, partition) = self.partitions.of(py, metadata)?;
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
}
