//! Assignment, positions and pauses: calls that never wait.

use kafkars_client::config::TopicPartition;
use kafkars_client::{FetchError, FetchPosition};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyMapping};

use super::core::ConsumerCore;
use crate::argument;
use crate::error;
use crate::types;

impl ConsumerCore {
    /// `assign(partitions)`: partitions, or a mapping of partition to offset (None for where the consumer would start).
    pub(crate) fn assign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.check_open()?;
        let assignment = positions_from(partitions)?;
        self.change(partitions.py(), assignment.len(), || {
            self.consumer.assign(assignment)
        })
    }

    /// `incremental_assign(partitions)`, with the same arguments.
    pub(crate) fn incremental_assign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.check_open()?;
        let added = positions_from(partitions)?;
        self.change(partitions.py(), added.len(), || {
            self.consumer.incremental_assign(added)
        })
    }

    /// `incremental_unassign(partitions)`.
    pub(crate) fn incremental_unassign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.check_open()?;
        let gone = types::partitions_from(partitions)?;
        self.change(partitions.py(), gone.len(), || {
            self.consumer.incremental_unassign(&gone)
        })
    }

    /// No partition any more.
    pub(crate) fn unassign(&self, py: Python<'_>) -> PyResult<()> {
        self.check_open()?;
        self.change(py, usize::MAX, || self.consumer.assign(Vec::new()))
    }

    /// The assigned partitions.
    pub(crate) fn assignment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.check()?;
        set(py, &self.consumer.assignment())
    }

    /// The paused partitions.
    pub(crate) fn paused<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.check()?;
        set(py, &self.consumer.paused())
    }

    /// Applies `change` to the named partitions, or to all that are assigned.
    pub(crate) fn for_partitions(
        &self,
        py: Python<'_>,
        partitions: Option<&Bound<'_, PyAny>>,
        change: impl FnOnce(&[TopicPartition]) -> Result<(), FetchError> + Send,
    ) -> PyResult<()> {
        self.check_open()?;
        let partitions = match partitions {
            None => self.consumer.assignment(),
            Some(partitions) => types::partitions_from(partitions)?,
        };
        // The consumer takes an empty list for all partitions, the caller means none.
        if partitions.is_empty() {
            return Ok(());
        }
        self.change(py, partitions.len(), || change(&partitions))
    }

    /// `seek(partition, offset)`.
    pub(crate) fn seek(
        &self,
        partition: &Bound<'_, PyAny>,
        offset: i64,
        leader_epoch: Option<i32>,
    ) -> PyResult<()> {
        self.check_open()?;
        let of = types::partition_from(partition)?;
        let position = FetchPosition {
            offset,
            leader_epoch: leader_epoch.unwrap_or(-1),
        };
        self.change(partition.py(), 1, || self.consumer.seek(&of, position))
    }

    /// The partition's first and last offset, as the last fetch response had them.
    pub(crate) fn watermarks<'py>(
        &self,
        partition: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.check_open()?;
        let py = partition.py();
        let known = self.consumer.watermarks(&types::partition_from(partition)?);
        let known = known.map_err(|failure| error::fetch(py, &failure))?;
        known
            .map(|(low, high)| types::watermarks(py, low, high))
            .transpose()
    }

    /// Records between the position and the end.
    pub(crate) fn lag(&self, partition: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        self.check_open()?;
        let lag = self.consumer.lag(&types::partition_from(partition)?);
        lag.map_err(|failure| error::fetch(partition.py(), &failure))
    }

    /// Applies a change of `size` partitions, detached from the interpreter unless it is small.
    fn change(
        &self,
        py: Python<'_>,
        size: usize,
        change: impl FnOnce() -> Result<(), FetchError> + Send,
    ) -> PyResult<()> {
        const FEW: usize = 100;
        let result = if size <= FEW {
            change()
        } else {
            py.detach(change)
        };
        result.map_err(|failure| error::fetch(py, &failure))
    }
}

/// Partitions, or a mapping of partition to offset (None for where the consumer would start).
fn positions_from(
    partitions: &Bound<'_, PyAny>,
) -> PyResult<Vec<(TopicPartition, Option<FetchPosition>)>> {
    match partitions.cast::<PyMapping>() {
        Ok(mapping) => {
            let items = mapping.items()?;
            let pairs = items.iter().map(|item| {
                let (partition, offset) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                let offset = match offset.is_none() {
                    true => None,
                    false => Some(argument::offset(&offset)?),
                };
                Ok((
                    types::partition_from(&partition)?,
                    offset.map(FetchPosition::at),
                ))
            });
            pairs.collect()
        }
        Err(_) => {
            let partitions = types::partitions_from(partitions)?;
            let unplaced = partitions.into_iter().map(|partition| (partition, None));
            Ok(unplaced.collect())
        }
    }
}

fn set<'py>(py: Python<'py>, partitions: &[TopicPartition]) -> PyResult<Bound<'py, PyFrozenSet>> {
    let members = partitions
        .iter()
        .map(|partition| types::topic_partition(py, partition));
    PyFrozenSet::new(py, members.collect::<PyResult<Vec<_>>>()?)
}

/// `{partition: offset}`.
pub(crate) fn offsets(py: Python<'_>, found: Vec<(TopicPartition, i64)>) -> PyResult<Py<PyAny>> {
    let dict = PyDict::new(py);
    for (partition, offset) in found {
        dict.set_item(types::topic_partition(py, &partition)?, offset)?;
    }
    Ok(dict.into_any().unbind())
}
