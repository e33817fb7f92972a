//! Keys and values of records as columns, decoded from the columns that `poll_arrow` returned.

use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_schema::{ArrowError, DataType};
use kafkars_arrow::{AvroPayloads, JsonPayloads, PayloadDecoder, Utf8Payloads};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{ARRAY, PyArrowBatch, SCHEMA};
use crate::error;
use crate::producer::imported_schema;

/// Makes columns of keys or values: text, JSON or Avro.
#[pyclass(name = "PayloadDecoder", module = "kafkars._kafkars")]
pub(crate) struct PyPayloadDecoder(PayloadKind);

enum PayloadKind {
    Utf8(Utf8Payloads),
    Json(JsonPayloads),
    Avro(AvroPayloads),
}

impl PayloadKind {
    fn decoder(&self) -> &dyn PayloadDecoder {
        match self {
            Self::Utf8(decoder) => decoder,
            Self::Json(decoder) => decoder,
            Self::Avro(decoder) => decoder,
        }
    }
}

#[pymethods]
impl PyPayloadDecoder {
    /// Decodes UTF-8 into text.
    #[staticmethod]
    fn utf8() -> Self {
        Self(PayloadKind::Utf8(Utf8Payloads))
    }

    /// Decodes JSON objects into a struct of the members that an Arrow schema names.
    ///
    /// Raises:
    ///     InvalidArgumentError: JSON has no values for one of the types.
    #[staticmethod]
    fn json(members: &Bound<'_, PyAny>) -> PyResult<Self> {
        let schema = imported_schema(members)?;
        let decoder =
            JsonPayloads::new(schema.fields().clone()).map_err(|problem| unfit(&problem))?;
        Ok(Self(PayloadKind::Json(decoder)))
    }

    /// Decodes Avro into a struct of the fields of a record's schema.
    ///
    /// Args:
    ///     schema: The schema, as JSON.
    ///     framed: Whether payloads name the schema that they were written with, as a schema registry's serializers do.
    ///
    /// Raises:
    ///     InvalidArgumentError: It is no schema of a record.
    #[staticmethod]
    #[pyo3(signature = (schema, *, framed))]
    fn avro(schema: &str, framed: bool) -> PyResult<Self> {
        let decoder = if framed {
            AvroPayloads::framed(schema)
        } else {
            AvroPayloads::bare(schema)
        };
        Ok(Self(PayloadKind::Avro(
            decoder.map_err(|problem| unfit(&problem))?,
        )))
    }

    /// The Arrow type of what is decoded, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        type_capsule(py, self.0.decoder().data_type())
    }

    /// Ids in the framing of the first `rows` payloads whose schema is to be added before they are decoded.
    fn unknown_schema_ids(
        &self,
        batch: &PyArrowBatch,
        column: &str,
        rows: usize,
    ) -> PyResult<Vec<u32>> {
        let PayloadKind::Avro(decoder) = &self.0 else {
            return Ok(Vec::new());
        };
        let payloads = payloads(batch, column, rows)?;
        Ok(decoder.unknown_ids(&payloads).into_iter().collect())
    }

    /// Adds the schema of an id, or why there is none: payloads that name it are refused with these words.
    #[pyo3(signature = (number, schema=None, *, problem=None))]
    fn add_schema(&mut self, number: u32, schema: Option<String>, problem: Option<String>) {
        if let PayloadKind::Avro(decoder) = &mut self.0 {
            let missing = || problem.unwrap_or_else(|| "there is none".to_owned());
            decoder.add_schema(number, schema.ok_or_else(missing));
        }
    }

    /// Decodes a column's first payloads: null where one is null or cannot be decoded; row and reason of the
    /// latter.
    fn decode(
        &self,
        py: Python<'_>,
        batch: &PyArrowBatch,
        column: &str,
        rows: usize,
    ) -> PyResult<(PyArrowColumn, Vec<(usize, String)>)> {
        let payloads = payloads(batch, column, rows)?;
        let decoder = self.0.decoder();
        let decoded = py.detach(|| decoder.decode(&payloads));
        let decoded = decoded.map_err(|problem| error::argument(format!("{column}: {problem}")))?;
        let poison = decoded
            .poison
            .into_iter()
            .map(|poison| (poison.row, poison.reason));
        Ok((PyArrowColumn(decoded.values), poison.collect()))
    }
}

/// One Arrow array, handed out through the PyCapsule interface.
#[pyclass(name = "ArrowColumn", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyArrowColumn(ArrayRef);

#[pymethods]
impl PyArrowColumn {
    /// Its type as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        type_capsule(py, self.0.data_type())
    }

    /// Its type and its values as capsules. A type that is asked for is not looked at, which the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        let made: (FFI_ArrowArray, FFI_ArrowSchema) =
            to_ffi(&self.0.to_data()).map_err(|problem| unfit(&problem))?;
        Ok((
            PyCapsule::new_with_value(py, made.1, SCHEMA)?,
            PyCapsule::new_with_value(py, made.0, ARRAY)?,
        ))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}

/// The first rows of a column of keys or values.
fn payloads(batch: &PyArrowBatch, column: &str, rows: usize) -> PyResult<BinaryArray> {
    let found = batch
        .only_batch()?
        .and_then(|batch| batch.column_by_name(column));
    match found.and_then(|array| array.as_binary_opt::<i32>()) {
        Some(array) => Ok(array.slice(0, rows.min(array.len()))),
        None => Err(error::argument(format!(
            "{column}: no column of bytes in these records"
        ))),
    }
}

fn type_capsule<'py>(py: Python<'py>, data_type: &DataType) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(data_type).map_err(|problem| unfit(&problem))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

fn unfit(problem: &ArrowError) -> PyErr {
    error::argument(problem.to_string())
}
