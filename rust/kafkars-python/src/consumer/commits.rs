//! Committing offsets, and asking for committed ones. Each call is a Rust future and a conversion of its output; the
//! two flavours choose how to wait.

use std::future::Future;
use std::sync::Arc;

use kafkars_client::group::{CommitError, OffsetAndMetadata, Offsets};
use kafkars_client::{FetchError, Origin};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use super::commit_callbacks::CommitCallback;
use super::core::ConsumerCore;
use crate::argument;
use crate::error;
use crate::record::PyRecord;
use crate::types;

/// What the callback of a commit is called with.
pub(super) type CommitAnswer<'py> = (Bound<'py, PyDict>, Option<PyErr>);

/// `commit(offsets)`.
pub(crate) fn commit(
    core: &Arc<ConsumerCore>,
    offsets: Option<&Bound<'_, PyAny>>,
    timeout: Option<f64>,
) -> PyResult<impl Future<Output = Result<Offsets, FetchError>> + Send + 'static> {
    core.check_open()?;
    let ((offsets, origin), deadline) = (core.offsets_from(offsets)?, core.deadline(timeout)?);
    let committed = core.consumer.commit(offsets.clone(), origin, deadline);
    Ok(async move {
        committed?.await?;
        Ok(offsets)
    })
}

/// `committed(partitions, require_stable=)`.
pub(crate) fn committed(
    core: &Arc<ConsumerCore>,
    partitions: &Bound<'_, PyAny>,
    require_stable: bool,
    timeout: Option<f64>,
) -> PyResult<impl Future<Output = Result<Offsets, FetchError>> + Send + 'static> {
    core.check_open()?;
    let (partitions, deadline) = (types::partitions_from(partitions)?, core.deadline(timeout)?);
    let core = Arc::clone(core);
    Ok(async move {
        let asked = core
            .consumer
            .committed(partitions, require_stable, deadline);
        asked.await
    })
}

/// `{partition: OffsetAndMetadata}`.
pub(crate) fn offsets_answer(
    py: Python<'_>,
    answer: Result<Offsets, FetchError>,
) -> PyResult<Py<PyAny>> {
    let offsets = answer.map_err(|failure| error::fetch(py, &failure))?;
    self::answer(py, &offsets).map(|dict| dict.into_any().unbind())
}

/// Offsets as `{partition: OffsetAndMetadata}`.
pub(crate) fn answer<'py>(py: Python<'py>, offsets: &Offsets) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (partition, committed) in offsets {
        let epoch = Some(committed.leader_epoch).filter(|epoch| *epoch >= 0);
        dict.set_item(
            types::topic_partition(py, partition)?,
            types::offset_and_metadata(py, committed.offset, &committed.metadata, epoch)?,
        )?;
    }
    Ok(dict)
}

impl ConsumerCore {
    /// `commit_async(offsets, callback)`.
    pub(crate) fn commit_later(
        &self,
        py: Python<'_>,
        offsets: Option<&Bound<'_, PyAny>>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        self.check_open()?;
        if let Some(callback) = &callback {
            argument::function(callback.bind(py), "callback")?;
        }
        let ((offsets, origin), deadline) = (self.offsets_from(offsets)?, self.deadline(None)?);
        if self.consumer.is_flooded_with_commits() {
            py.detach(|| self.consumer.wait_for_commits_to_be_taken());
        }
        let callback = callback.map(|function| CommitCallback {
            function,
            offsets: offsets.clone(),
        });
        let number = callback.map(|callback| self.commit_callbacks.add(callback));
        let told = self
            .consumer
            .commit_later(offsets, origin, deadline, number);
        if let (Err(_), Some(number)) = (&told, number) {
            drop(self.commit_callbacks.take(number));
        }
        told.map_err(|failure| error::fetch(py, &failure))
    }

    /// Makes what a callback is called with. Fails if a signal has come: its handler would raise in the callback,
    /// before the first line, or in the Python code that makes an exception.
    pub(super) fn told<'py>(
        &self,
        py: Python<'py>,
        callback: &CommitCallback,
        outcome: &Result<(), CommitError>,
    ) -> PyResult<CommitAnswer<'py>> {
        let offsets = answer(py, &callback.offsets)?;
        let problem = match outcome {
            Ok(()) => None,
            Err(failure) => {
                let problem = error::commit(py, failure);
                if error::is_of_signal(py, &problem) {
                    return Err(problem);
                }
                Some(problem)
            }
        };
        py.check_signals()?;
        Ok((offsets, problem))
    }

    /// Calls a callback with the outcome of its commit.
    pub(super) fn call_back(
        &self,
        py: Python<'_>,
        callback: CommitCallback,
        told: CommitAnswer<'_>,
    ) -> PyResult<()> {
        let _inside = self.listener_run.enter();
        callback.function.call1(py, told).map(drop)
    }

    fn named_by_application(&self) -> Origin {
        let chosen = self.commits_named.get().copied();
        chosen.unwrap_or(Origin::Application)
    }

    /// The offsets of a commit: for nothing given, those of everything handed out; for a record, the offset after it;
    /// or the given offsets.
    fn offsets_from(&self, offsets: Option<&Bound<'_, PyAny>>) -> PyResult<(Offsets, Origin)> {
        let Some(given) = offsets else {
            return Ok((self.consumer.finish_consumed(), Origin::Positions));
        };
        if let Ok(record) = given.cast::<PyRecord>() {
            let (partition, offset, leader_epoch) = record.get().position();
            let committed = OffsetAndMetadata {
                leader_epoch,
                ..OffsetAndMetadata::new(offset.saturating_add(1))
            };
            let offsets = Offsets::from([(partition, committed)]);
            return Ok((offsets, self.named_by_application()));
        }
        let Ok(mapping) = given.cast::<PyMapping>() else {
            return Err(PyTypeError::new_err(format!(
                "offsets: expected a record, or a mapping of partitions to offsets, not {}",
                given.repr()?
            )));
        };
        let mut offsets = Offsets::new();
        for item in mapping.items()? {
            let (partition, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            offsets.insert(types::partition_from(&partition)?, offset_from(&value)?);
        }
        Ok((offsets, self.named_by_application()))
    }
}

/// A number, or something with `offset`, `metadata` and `leader_epoch`.
pub(crate) fn offset_from(value: &Bound<'_, PyAny>) -> PyResult<OffsetAndMetadata> {
    if let Some(offset) = argument::whole(value, "offset")? {
        return Ok(OffsetAndMetadata::new(offset));
    }
    let py = value.py();
    let parts = || -> PyResult<(Bound<'_, PyAny>, Option<String>, Option<i32>)> {
        let epoch = value.getattr(intern!(py, "leader_epoch"))?;
        Ok((
            value.getattr(intern!(py, "offset"))?,
            value.getattr(intern!(py, "metadata"))?.extract()?,
            epoch
                .extract()
                .map_err(|error: PyErr| argument::named(&epoch, "leader_epoch", error))?,
        ))
    };
    let wrong = || {
        let told = value.repr().map(|given| {
            format!("offsets: expected a number or an OffsetAndMetadata, not {given}")
        });
        told.map_or_else(|error| error, PyTypeError::new_err)
    };
    let (offset, metadata, leader_epoch) = match parts() {
        Ok(parts) => parts,
        Err(error) if error.is_instance_of::<PyValueError>(py) => return Err(error),
        Err(_) => return Err(wrong()),
    };
    let offset = argument::whole(&offset, "offset")?.ok_or_else(wrong)?;
    Ok(OffsetAndMetadata {
        leader_epoch: leader_epoch.unwrap_or(-1),
        metadata: metadata.unwrap_or_default().into(),
        ..OffsetAndMetadata::new(offset)
    })
}
