//! Runs: consecutive records of one fetched batch, of which record batches and Arrow columns for Python are made.

use std::sync::{Arc, OnceLock};

use kafkars_arrow::{RecordColumnsBuilder, RecordColumnsError};
use kafkars_client::{FetchedBatch, RecordSlice};
use kafkars_records::{RecordView, Span};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::record::{self, PyRecord};

/// Consecutive records of one fetched batch.
pub(crate) struct Run {
    pub(crate) fetched: Arc<FetchedBatch>,
    typed: bool,
    pub(crate) start: u32,
    pub(crate) end: u32,
    count: u32,
    /// The byte position of every record, computed by the first access out of order.
    positions: OnceLock<Box<[u32]>>,
}

impl Run {
    /// Makes a run of a slice, whose batch is prepared for Python.
    pub(crate) fn new(slice: RecordSlice) -> Self {
        let RecordSlice {
            batch: fetched,
            start,
            end,
            count,
            place: _,
        } = slice;
        Self {
            typed: record::is_typed(&fetched),
            fetched,
            start,
            end,
            count,
            positions: OnceLock::new(),
        }
    }

    /// True if records go through deserializers.
    pub(crate) fn is_typed(&self) -> bool {
        self.typed
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }

    /// How many bytes the records have in their batch.
    pub(crate) fn bytes(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    #[inline]
    pub(crate) fn record<'py>(
        &self,
        py: Python<'py>,
        view: RecordView,
    ) -> PyResult<Bound<'py, PyRecord>> {
        record::record(py, Arc::clone(&self.fetched), view, self.typed)
    }

    pub(crate) fn views(&self) -> impl Iterator<Item = RecordView> + '_ {
        let batch = &self.fetched.batch;
        let mut position = self.start;
        (0..self.count).map(move |_| {
            let view = batch.record_at(position);
            position = view.next;
            view
        })
    }

    pub(crate) fn position(&self, index: usize) -> u32 {
        let positions = self.positions.get_or_init(|| {
            let starts = std::iter::once(self.start).chain(self.views().map(|view| view.next));
            starts.take(self.len()).collect()
        });
        positions.get(index).copied().unwrap_or(self.start)
    }

    /// The records `from..to` of this run.
    pub(crate) fn part(&self, from: usize, to: usize) -> Self {
        let at = |index: usize| match index {
            0 => self.start,
            index if index >= self.len() => self.end,
            index => self.position(index),
        };
        Self::new(RecordSlice {
            batch: Arc::clone(&self.fetched),
            start: at(from),
            end: at(to),
            count: u32::try_from(to - from).unwrap_or(0),
            place: 0,
        })
    }

    /// Adds the records to columns. `full` exchanges a builder without room for an empty one.
    pub(crate) fn append_to<'a>(
        &self,
        builder: &mut RecordColumnsBuilder<'a>,
        mut full: impl FnMut(&mut RecordColumnsBuilder<'a>) -> Result<(), RecordColumnsError>,
    ) -> Result<(), RecordColumnsError> {
        let FetchedBatch {
            topic,
            partition,
            batch,
            ..
        } = &*self.fetched;
        let (mut left, mut position) = (self.count, self.start);
        loop {
            let (added, next) = builder.append(topic, *partition, batch, position, left)?;
            left = left.saturating_sub(added);
            position = next;
            if left == 0 {
                return Ok(());
            }
            full(builder)?;
        }
    }

    pub(crate) fn spans<'py>(
        &self,
        py: Python<'py>,
        list: &Bound<'py, PyList>,
        of: impl Fn(&RecordView) -> Option<Span>,
    ) -> PyResult<()> {
        for view in self.views() {
            list.append(record::bytes(py, &self.fetched, of(&view)))?;
        }
        Ok(())
    }
}
