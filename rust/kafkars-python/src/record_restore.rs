//! Records made again from their pickles.

use std::sync::Arc;

use kafkars_client::{FetchedBatch, RecordSlice};
use kafkars_records::RecordView;
use pyo3::prelude::*;

use crate::batch::PyRecordBatch;
use crate::batch_run::Run;
use crate::error;
use crate::metadata::{PickledMetadata, PyRecordMetadata};
use crate::record::{self, DeserializedPart, PyRecord};
use crate::record_pickle::{PickledPart, PickledParts, PickledRecord, batch_of};

fn of((is_made, object): PickledPart<Py<PyAny>>) -> DeserializedPart {
    match is_made {
        true => DeserializedPart::Object(object),
        false => DeserializedPart::Failure(object),
    }
}

/// A batch of one record, prepared for Python, and the record.
fn restored(py: Python<'_>, parts: &PickledRecord) -> PyResult<(Arc<FetchedBatch>, RecordView)> {
    let fetched = batch_of(parts).map_err(|problem| error::argument(problem.to_string()))?;
    let Some(view) = fetched.batch.nth(0) else {
        return Err(error::argument("the pickle of a record holds none"));
    };
    record::prepare(py, &fetched, None);
    Ok((fetched, view))
}

/// A record of the parts that its pickle has. It stands in a batch of its own.
///
/// `made` has key and value as the deserializers made them, where there were any: whether there is an object, and it or
/// the error.
#[pyfunction]
#[pyo3(name = "_restore_record", signature = (parts, made=None))]
pub(crate) fn restore_record<'py>(
    py: Python<'py>,
    parts: PickledRecord,
    made: Option<PickledParts<Py<PyAny>>>,
) -> PyResult<Bound<'py, PyRecord>> {
    let (fetched, view) = restored(py, &parts)?;
    match made {
        None => record::record(py, fetched, view, false),
        Some((key, value)) => record::deserialized(py, fetched, view, of(key), of(value)),
    }
}

/// A batch of the records that its pickle has, each in a batch of its own.
#[pyfunction]
#[pyo3(name = "_restore_batch")]
pub(crate) fn restore_batch(
    py: Python<'_>,
    records: Vec<PickledRecord>,
) -> PyResult<PyRecordBatch> {
    let mut runs = Vec::with_capacity(records.len());
    for parts in &records {
        let (fetched, view) = restored(py, parts)?;
        runs.push(Run::new(RecordSlice {
            batch: fetched,
            start: 0,
            end: view.next,
            count: 1,
            place: 0,
        }));
    }
    Ok(PyRecordBatch::new(runs))
}

/// What the cluster would have said of a stored record, for pickles and tests.
#[pyfunction]
#[pyo3(name = "_restore_metadata")]
pub(crate) fn restore_metadata(parts: PickledMetadata) -> PyRecordMetadata {
    PyRecordMetadata::of(parts)
}
