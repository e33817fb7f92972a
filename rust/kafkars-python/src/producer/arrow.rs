//! Arrow tables as records: taken over through the PyCapsule interface, so from pyarrow, polars, pandas, duckdb and
//! others alike, none of which is a dependency.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_schema::SchemaRef;
use kafkars_arrow::{ColumnNames, RecordColumns};
use kafkars_client::{ProduceRecord, Records};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::arrow_import::{self, ImportedStream};
use super::send_many::{Rows, at_index};
use crate::error;

/// The record batches of a table, one after the other.
pub(super) struct ArrowBatches {
    source: ArrowSource,
    /// Whether they are all in memory: what has a length is a table, and what has none comes as it is read.
    is_table: bool,
    /// How many rows the batches so far had.
    rows: usize,
}

enum ArrowSource {
    /// An object with `__arrow_c_stream__`.
    Stream(ImportedStream),
    /// An object with `__arrow_c_array__`.
    One(SchemaRef, Option<FFI_ArrowArray>),
}

impl ArrowBatches {
    /// Gets the stream or the array of `data`.
    pub(super) fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = data.py();
        let is_table = data.hasattr(intern!(py, "__len__"))?;
        if let Some(method) = data.getattr_opt(intern!(py, "__arrow_c_stream__"))? {
            let capsule = method.call0()?;
            let pointer = pointer(&capsule, c"arrow_array_stream").map_err(|_| no_capsule(data))?;
            // SAFETY: the capsule is named as the interface demands, so it holds a stream, and lives until that is
            // taken.
            let stream = unsafe { ImportedStream::open(pointer.cast()) };
            let source = ArrowSource::Stream(stream.map_err(malformed)?);
            return Ok(Self::of(source, is_table));
        }
        if let Some(method) = data.getattr_opt(intern!(py, "__arrow_c_array__"))? {
            let capsules = method.call0()?;
            let capsules = capsules.extract::<(Bound<'_, _>, Bound<'_, _>)>();
            let (schema, array) = capsules.map_err(|_| no_capsule(data))?;
            return one(&schema, &array).map(|source| Self::of(source, true));
        }
        Err(PyTypeError::new_err(format!(
            "data: expected a table or record batch with __arrow_c_stream__ or __arrow_c_array__ (as of pyarrow, polars or \
             pandas), not {}",
            data.get_type().name()?
        )))
    }

    fn of(source: ArrowSource, is_table: bool) -> Self {
        let rows = 0;
        Self {
            source,
            is_table,
            rows,
        }
    }

    /// The rows that are checked together before any of them is sent: those of the whole table, or of the next batch
    /// where batches come as they are read. `None` when all were given.
    pub(super) fn next_rows<'a>(
        &mut self,
        py: Python<'_>,
        topic: &'a str,
        names: &ColumnNames,
    ) -> PyResult<Option<ArrowRows<'a>>> {
        let Some(columns) = self.next(py, names)? else {
            return Ok(None);
        };
        let mut rows = ArrowRows::new(topic, columns);
        while self.is_table
            && let Some(columns) = self.next(py, names)?
        {
            rows.append(columns);
        }
        Ok(Some(rows))
    }

    fn schema(&self) -> &SchemaRef {
        match &self.source {
            ArrowSource::Stream(stream) => &stream.schema,
            ArrowSource::One(schema, _) => schema,
        }
    }

    fn next(&mut self, py: Python<'_>, names: &ColumnNames) -> PyResult<Option<RecordColumns>> {
        let wanted: Vec<&str> = names.all().collect();
        let batch = match &mut self.source {
            ArrowSource::One(schema, array) => {
                let array = array.take();
                array
                    .map(|array| arrow_import::batch(array, schema, &wanted))
                    .transpose()
            }
            ArrowSource::Stream(stream) => stream.next(&wanted),
        };
        let Some(batch) = batch.map_err(malformed)? else {
            return Ok(None);
        };
        let columns = RecordColumns::new(&batch, names, self.rows);
        self.rows += batch.num_rows();
        let columns = columns.map_err(|problem| {
            let failure = error::local_argument(py, &problem);
            match problem.row() {
                Some(row) => at_index(py, failure, row),
                None => failure,
            }
        })?;
        Ok(Some(columns))
    }

    /// Looks for the columns before any batch is read.
    pub(super) fn check(&self, py: Python<'_>, names: &ColumnNames) -> PyResult<()> {
        let empty = arrow_import::empty(self.schema()).map_err(malformed)?;
        RecordColumns::new(&empty, names, 0)
            .map(drop)
            .map_err(|problem| error::local_argument(py, &problem))
    }
}

fn one(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<ArrowSource> {
    let schema = pointer(schema, c"arrow_schema")?.cast::<FFI_ArrowSchema>();
    let array = pointer(array, c"arrow_array")?.cast::<FFI_ArrowArray>();
    // SAFETY: the capsules are named as the interface demands, so they hold a schema and an array. The schema is only
    // read while its capsule lives.
    let schema = unsafe { arrow_import::schema(schema, array) }.map_err(malformed)?;
    // SAFETY: as above. The array is moved out: what stays is marked as released, and the capsule's destructor leaves
    // it.
    let array = unsafe { FFI_ArrowArray::from_raw(array) };
    Ok(ArrowSource::One(schema, Some(array)))
}

/// The schema of an object with `__arrow_c_schema__`, such as a `pyarrow.Schema`.
pub(crate) fn imported_schema(data: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    let capsule = data.call_method0(intern!(data.py(), "__arrow_c_schema__"))?;
    let schema = pointer(&capsule, c"arrow_schema")?.cast::<FFI_ArrowSchema>();
    // SAFETY: the capsule is named as the interface demands, so it holds a schema, which is only read while the capsule
    // lives; there is no array.
    unsafe { arrow_import::schema(schema, std::ptr::null()) }.map_err(malformed)
}

fn no_capsule(data: &Bound<'_, PyAny>) -> PyErr {
    let kind = data.get_type().name();
    let kind = kind.map_or_else(|_| "it".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "data: {kind} offers itself as Arrow data, but does not give the capsules of Arrow's PyCapsule interface"
    ))
}

fn malformed(problem: String) -> PyErr {
    error::argument(format!("data: {problem}"))
}

fn pointer(capsule: &Bound<'_, PyAny>, name: &std::ffi::CStr) -> PyResult<*mut std::ffi::c_void> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr())
}

/// Records of a table, or of one batch of a stream.
pub(super) struct ArrowRows<'a> {
    topic: &'a str,
    // Each batch, after the index of the row behind its last.
    batches: Vec<(usize, RecordColumns)>,
    chosen: Option<Vec<Option<i32>>>,
}

impl<'a> ArrowRows<'a> {
    fn new(topic: &'a str, columns: RecordColumns) -> Self {
        Self {
            topic,
            batches: vec![(columns.len(), columns)],
            chosen: None,
        }
    }

    fn append(&mut self, columns: RecordColumns) {
        self.batches.push((self.rows() + columns.len(), columns));
    }

    fn rows(&self) -> usize {
        self.batches.last().map_or(0, |(end, _)| *end)
    }

    /// The batch of a row, and which of its rows this is. `row` must be below the number of rows.
    #[inline]
    fn find(&self, row: usize) -> (&RecordColumns, usize) {
        let at = match self.batches.len() {
            1 => 0,
            _ => self.batches.partition_point(|(end, _)| *end <= row),
        };
        let (end, columns) = &self.batches[at];
        (columns, row + columns.len() - end)
    }

    fn partition(&self, row: usize) -> Option<i32> {
        let chosen = self.chosen.as_ref().and_then(|chosen| *chosen.get(row)?);
        chosen.or_else(|| {
            let (columns, row) = self.find(row);
            columns.partition(row)
        })
    }
}

impl Records for ArrowRows<'_> {
    fn len(&self) -> usize {
        self.rows()
    }

    fn show(&self, row: usize, look: &mut dyn FnMut(&ProduceRecord<'_>)) {
        let partition = self.partition(row);
        let (columns, row) = self.find(row);
        let headers: Vec<_> = match columns.has_headers() {
            true => columns.headers(row).collect(),
            false => Vec::new(),
        };
        look(&ProduceRecord {
            topic: self.topic,
            partition,
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
        is_open.then(|| {
            let (columns, row) = self.find(row);
            columns.key(row)
        })
    }

    fn place(&mut self, row: usize, partition: i32) {
        let rows = self.rows();
        let chosen = self.chosen.get_or_insert_with(|| vec![None; rows]);
        if let Some(place) = chosen.get_mut(row) {
            *place = Some(partition);
        }
    }
}

/// The names of the columns, from the arguments of `send_arrow`.
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
