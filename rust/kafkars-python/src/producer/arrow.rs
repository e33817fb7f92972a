//! Arrow tables as records: taken over through the PyCapsule interface, so from pyarrow, polars, pandas, duckdb and others
//! alike, none of which is needed here.

use arrow_array::array::{Array, StructArray};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchReader};
use kafkars_arrow::{ColumnNames, Columns};
use kafkars_client::{ProduceRecord, Records};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::many::Rows;
use crate::error;

/// The record batches of a table, one after the other.
pub(super) enum Batches {
    /// What has `__arrow_c_stream__`.
    Stream(RecordBatchStreamReader),
    /// What has `__arrow_c_array__`.
    One(Option<RecordBatch>),
}

impl Batches {
    /// Asks `data` for what it has.
    pub(super) fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = data.py();
        if let Some(method) = data.getattr_opt(intern!(py, "__arrow_c_stream__"))? {
            return stream(&method.call0()?).map(Self::Stream);
        }
        if let Some(method) = data.getattr_opt(intern!(py, "__arrow_c_array__"))? {
            let (schema, array) = method.call0()?.extract::<(Bound<'_, _>, Bound<'_, _>)>()?;
            return one(&schema, &array).map(|batch| Self::One(Some(batch)));
        }
        Err(PyTypeError::new_err(format!(
            "data: expected a table or record batch with __arrow_c_stream__ or __arrow_c_array__ (as of pyarrow, polars or \
             pandas), not {}",
            data.get_type().name()?
        )))
    }

    /// The next one; its columns are looked for where there is none as well.
    pub(super) fn next(
        &mut self,
        py: Python<'_>,
        names: &ColumnNames,
    ) -> PyResult<Option<Columns>> {
        let batch = match self {
            Self::One(batch) => batch.take(),
            Self::Stream(reader) => reader.next().transpose().map_err(|problem| {
                PyValueError::new_err(format!("data: the stream failed: {problem}"))
            })?,
        };
        let columns = batch.map(|batch| Columns::new(&batch, names));
        columns
            .transpose()
            .map_err(|problem| error::local_argument(py, &problem))
    }

    /// Looks for the columns before there is any batch, where that is possible.
    pub(super) fn check(&self, py: Python<'_>, names: &ColumnNames) -> PyResult<()> {
        let Self::Stream(reader) = self else {
            return Ok(());
        };
        let empty = RecordBatch::new_empty(reader.schema());
        Columns::new(&empty, names)
            .map(drop)
            .map_err(|problem| error::local_argument(py, &problem))
    }
}

fn stream(capsule: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let pointer = pointer(capsule, c"arrow_array_stream")?;
    // SAFETY: the capsule is named as the interface demands, so it holds a stream, which is moved out of it: what stays is
    // marked as released, and the capsule's destructor leaves it alone.
    let reader =
        unsafe { RecordBatchStreamReader::from_raw(pointer.cast::<FFI_ArrowArrayStream>()) };
    reader
        .map_err(|problem| PyValueError::new_err(format!("data: no stream of records: {problem}")))
}

fn one(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<RecordBatch> {
    let schema = pointer(schema, c"arrow_schema")?.cast::<FFI_ArrowSchema>();
    let array = pointer(array, c"arrow_array")?.cast::<FFI_ArrowArray>();
    // SAFETY: the capsules are named as the interface demands, so they hold a schema and an array that fits it. The array is
    // moved out, as above; the schema is only read while its capsule lives.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array), &*schema) };
    let data =
        data.map_err(|problem| PyValueError::new_err(format!("data: no array: {problem}")))?;
    if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
        return Err(PyTypeError::new_err(format!(
            "data: expected a record batch, not an array of {}",
            data.data_type()
        )));
    }
    let rows = StructArray::from(data);
    if rows.null_count() > 0 {
        return Err(PyValueError::new_err(
            "data: rows that are null as a whole cannot be sent",
        ));
    }
    Ok(RecordBatch::from(rows))
}

fn pointer(capsule: &Bound<'_, PyAny>, name: &std::ffi::CStr) -> PyResult<*mut std::ffi::c_void> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr())
}

/// Records of one batch.
pub(super) struct ArrowRows<'a> {
    topic: &'a str,
    columns: Columns,
    chosen: Option<Vec<Option<i32>>>,
}

impl<'a> ArrowRows<'a> {
    pub(super) fn new(topic: &'a str, columns: Columns) -> Self {
        Self {
            topic,
            columns,
            chosen: None,
        }
    }

    fn partition(&self, row: usize) -> Option<i32> {
        let chosen = self.chosen.as_ref().and_then(|chosen| *chosen.get(row)?);
        chosen.or_else(|| self.columns.partition(row))
    }
}

impl Records for ArrowRows<'_> {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn show(&self, row: usize, look: &mut dyn FnMut(&ProduceRecord<'_>)) {
        let columns = &self.columns;
        let headers: Vec<_> = match columns.has_headers() {
            true => columns.headers(row).collect(),
            false => Vec::new(),
        };
        look(&ProduceRecord {
            topic: self.topic,
            partition: self.partition(row),
            timestamp: columns.timestamp(row),
            key: columns.key(row),
            value: columns.value(row),
            headers: &headers,
        });
    }
}

impl Rows for ArrowRows<'_> {
    fn topic(&self) -> &str {
        self.topic
    }

    fn unplaced(&self, row: usize) -> Option<Option<&[u8]>> {
        let is_open = self.partition(row).is_none();
        is_open.then(|| self.columns.key(row))
    }

    fn place(&mut self, row: usize, partition: i32) {
        let rows = self.columns.len();
        let chosen = self.chosen.get_or_insert_with(|| vec![None; rows]);
        if let Some(place) = chosen.get_mut(row) {
            *place = Some(partition);
        }
    }
}

/// Which column is what, as `send_arrow` takes it.
pub(super) fn names(
    value: Option<String>,
    key: Option<String>,
    headers: Option<String>,
    timestamp: Option<String>,
    partition: Option<String>,
) -> ColumnNames {
    ColumnNames {
        value,
        key,
        headers,
        timestamp,
        partition,
    }
}
