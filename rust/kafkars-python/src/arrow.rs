//! Records as Arrow columns, handed out through the PyCapsule interface: pyarrow, polars, pandas and DuckDB take them
//! without a copy, and none of them is a dependency.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::array::{Array, StructArray};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use kafkars_arrow::{
    ColumnTypes, RecordColumn, RecordColumnsBuilder, RecordColumnsError, RecordLayout,
};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PySequence, PyString};

use crate::batch_run::Run;
use crate::error;

pub(crate) const SCHEMA: &CStr = c"arrow_schema";
pub(crate) const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Records as Arrow columns. What takes Arrow takes this: `pyarrow.table(batch)`, `polars.DataFrame(batch)`.
#[pyclass(name = "ArrowBatch", module = "kafkars", frozen)]
pub(crate) struct PyArrowBatch {
    schema: SchemaRef,
    // One batch, or more if a column would be larger than 2 GiB.
    batches: Vec<RecordBatch>,
}

impl PyArrowBatch {
    /// The records of `runs` as columns of the layout. Works detached from the interpreter.
    pub(crate) fn new(py: Python<'_>, runs: &[Run], layout: &RecordLayout) -> PyResult<Self> {
        let made = py.detach(|| batches(runs, layout));
        let batches = made.map_err(|problem| match problem {
            RecordColumnsError::Arrow(problem) => broken(&problem),
            RecordColumnsError::TimestampRange {
                ref topic,
                partition,
                offset,
                ..
            } => error::unfit_record(py, topic, partition, offset, &problem),
        })?;
        Ok(Self {
            schema: Arc::clone(layout.schema()),
            batches,
        })
    }

    fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The only record batch, or `None` if there are no records.
    pub(crate) fn only_batch(&self) -> PyResult<Option<&RecordBatch>> {
        match self.batches.as_slice() {
            [] => Ok(None),
            [batch] => Ok(Some(batch)),
            _ => Err(PyValueError::new_err(
                "these records have more than 2 GiB in one column, which one Arrow array cannot hold: take them as a \
                 stream (pyarrow.table(batch)), or read fewer at once (max_records)",
            )),
        }
    }

    /// The capsule that `__arrow_c_schema__` returns.
    pub(crate) fn schema_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema);
        let schema = schema.map_err(|problem| broken(&problem))?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// The capsules of `__arrow_c_array__`.
    pub(crate) fn array_capsules<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let batch = match self.only_batch()? {
            Some(batch) => batch.clone(),
            None => RecordBatch::new_empty(Arc::clone(&self.schema)),
        };
        let data = StructArray::from(batch).into_data();
        let (array, _schema): (FFI_ArrowArray, FFI_ArrowSchema) =
            to_ffi(&data).map_err(|problem| broken(&problem))?;
        Ok((
            self.schema_capsule(py)?,
            PyCapsule::new_with_value(py, array, ARRAY)?,
        ))
    }

    /// The capsule of `__arrow_c_stream__`.
    pub(crate) fn stream_capsule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let batches: Vec<Result<RecordBatch, ArrowError>> =
            self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, STREAM)
    }
}

#[pymethods]
impl PyArrowBatch {
    /// The Arrow schema as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        self.schema_capsule(py)
    }

    /// The schema and the columns as capsules. A schema that is asked for is not looked at, which the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        self.array_capsules(py)
    }

    /// The columns as a capsule of a stream of record batches: one, or more where a column has over 2 GiB.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        self.stream_capsule(py)
    }

    /// How many records there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.rows()
    }

    /// Names of the columns, in their order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// Bytes that the columns hold in memory.
    #[getter]
    fn nbytes(&self) -> usize {
        let batches = self.batches.iter();
        batches.map(RecordBatch::get_array_memory_size).sum()
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn __repr__(&self) -> String {
        let names = self.column_names().join(", ");
        format!("ArrowBatch({} records: {names})", self.rows())
    }
}

/// Names of columns, as a sequence. One name as text is a sequence of letters, and is refused; so is what can be read
/// once only, because names are checked before records are taken.
pub(crate) struct GivenColumns(Vec<String>);

impl FromPyObject<'_, '_> for GivenColumns {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let names =
            match given.is_instance_of::<PyString>() || !given.is_instance_of::<PySequence>() {
                true => None,
                false => given.extract().ok(),
            };
        names.map(Self).ok_or_else(|| {
            let kind = given.get_type();
            PyTypeError::new_err(format!(
                "a list of column names is wanted, such as [\"key\", \"value\"], not {}",
                kind.name()
                    .map_or_else(|_| "this".to_owned(), |name| name.to_string())
            ))
        })
    }
}

/// Fails for a name that is no column of records or no layout: asked before records are taken, which would be lost
/// otherwise.
#[pyfunction]
#[pyo3(signature = (columns, layout))]
pub(crate) fn check_arrow_layout(columns: Option<GivenColumns>, layout: &str) -> PyResult<()> {
    record_layout(columns, layout).map(drop)
}

/// The columns of these names, or all if none are given, with the types of the layout.
pub(crate) fn record_layout(columns: Option<GivenColumns>, layout: &str) -> PyResult<RecordLayout> {
    let Some(types) = ColumnTypes::named(layout) else {
        let known = ColumnTypes::NAMES.map(|(name, _)| format!("{name:?}"));
        return Err(error::argument(format!(
            "layout: {layout:?} is none; there are {}",
            known.join(" and ")
        )));
    };
    let Some(GivenColumns(names)) = columns else {
        return Ok(RecordLayout::new(&RecordColumn::ALL, types));
    };
    let columns: Result<Vec<RecordColumn>, _> =
        names.iter().map(|name| RecordColumn::named(name)).collect();
    match columns {
        Ok(columns) => Ok(RecordLayout::new(&columns, types)),
        Err(problem) => Err(error::argument(format!("columns: {problem}"))),
    }
}

fn batches(runs: &[Run], layout: &RecordLayout) -> Result<Vec<RecordBatch>, RecordColumnsError> {
    let mut made = Vec::new();
    let mut builder = RecordColumnsBuilder::new(layout);
    builder.reserve(
        runs.iter().map(Run::len).sum(),
        runs.iter().map(Run::bytes).sum(),
    );
    for run in runs {
        run.append_to(&mut builder, |full| {
            if full.rows() == 0 {
                return Err(RecordColumnsError::Arrow(ArrowError::InvalidArgumentError(
                    "one record is larger than an Arrow array of bytes can be".to_owned(),
                )));
            }
            let full = std::mem::replace(full, RecordColumnsBuilder::new(layout));
            made.push(full.finish()?);
            Ok(())
        })?;
    }
    if builder.rows() > 0 {
        made.push(builder.finish()?);
    }
    Ok(made)
}

fn broken(problem: &ArrowError) -> PyErr {
    PyRuntimeError::new_err(format!(
        "the records could not be made into columns: {problem}"
    ))
}
