//! The consumer behind both faces: records out of the ready buffer, fork rule, life.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::{Client, Consumer, TakenRecord};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::aio::Key;
use crate::batch::{PyRecordBatch, Run};
use crate::config::ConsumerSettings;
use crate::error;
use crate::metrics;
use crate::record::{self, Deserializers, PyRecord};
use crate::runtime::{self, Birthplace};

/// A consumer and what Python adds to it.
pub(crate) struct ConsumerCore {
    pub(crate) consumer: Consumer,
    /// What waits for its records wait for.
    pub(crate) key: Key,
    birthplace: Birthplace,
    deserializers: Option<Arc<Deserializers>>,
    /// Most records of one batch call.
    max_poll_records: usize,
    /// Time limit of calls that ask the cluster and are given none.
    pub(crate) default_timeout: Duration,
}

impl ConsumerCore {
    /// A consumer with nothing assigned, on the runtime of this process.
    pub(crate) fn new(settings: ConsumerSettings) -> PyResult<Arc<Self>> {
        let (client, consumer) = settings.checked()?;
        let handle = runtime::handle()?;
        let _inside = handle.enter();
        let (max_poll_records, default_timeout) =
            (consumer.max_poll_records, consumer.default_api_timeout);
        let client = Client::new(client, handle.clone());
        Ok(Arc::new(Self {
            consumer: Consumer::new(client, consumer),
            key: Key::unique(),
            birthplace: Birthplace::here(),
            deserializers: settings.deserializers().map(Arc::new),
            max_poll_records,
            default_timeout,
        }))
    }

    /// Fails in a fork of the process the consumer was made in.
    #[inline]
    pub(crate) fn check(&self) -> PyResult<()> {
        self.birthplace.check()
    }

    /// Fails after `close()`, too.
    pub(crate) fn check_open(&self) -> PyResult<()> {
        self.check()?;
        if self.consumer.is_closed() {
            return Err(error::closed("consumer"));
        }
        Ok(())
    }

    /// The next record, if one is ready.
    #[inline]
    pub(crate) fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyRecord>>> {
        self.check()?;
        match self.consumer.try_next() {
            Ok(Some(TakenRecord { batch, view })) => {
                record::prepare(py, &batch, self.deserializers.as_ref());
                record::record(py, batch, view, self.deserializers.is_some()).map(Some)
            }
            Ok(None) => Ok(None),
            Err(failure) => Err(error::fetch(py, &failure)),
        }
    }

    /// What is ready, up to `max` records; none when nothing is.
    pub(crate) fn take<'py>(
        &self,
        py: Python<'py>,
        max: usize,
    ) -> PyResult<Option<Bound<'py, PyRecordBatch>>> {
        self.check()?;
        let slices = self
            .consumer
            .try_take(max)
            .map_err(|failure| error::fetch(py, &failure))?;
        if slices.is_empty() {
            return Ok(None);
        }
        let runs = slices.into_iter().map(|slice| {
            record::prepare(py, &slice.batch, self.deserializers.as_ref());
            Run::new(slice)
        });
        Bound::new(py, PyRecordBatch::new(runs.collect())).map(Some)
    }

    /// The limit of one batch call.
    pub(crate) fn batch_limit(&self, max_records: Option<usize>) -> PyResult<usize> {
        match max_records {
            None => Ok(self.max_poll_records),
            Some(0) => Err(error::argument("max_records must be at least 1")),
            Some(max) => Ok(max),
        }
    }

    /// Fails where a wait for records can have no end: nothing is assigned.
    pub(crate) fn check_assigned(&self) -> PyResult<()> {
        if self.consumer.assignment().is_empty() {
            self.check_open()?;
            return Err(error::state(
                "nothing is assigned to this consumer; call assign() before reading",
            ));
        }
        Ok(())
    }

    /// Fails where records cannot come because no broker has ever been reached.
    pub(crate) fn check_reached(&self, py: Python<'_>) -> PyResult<()> {
        match self.consumer.trouble() {
            None => Ok(()),
            Some(failure) => Err(error::fetch(py, &failure)),
        }
    }

    /// The moment a call ends that was given `timeout` seconds, or none.
    pub(crate) fn deadline(&self, timeout: Option<f64>) -> PyResult<Instant> {
        let timeout = crate::types::timeout(timeout)?.unwrap_or(self.default_timeout);
        Ok(Instant::now() + timeout)
    }

    /// Ends the consumer. Does nothing in a forked child, whose copy has no threads.
    pub(crate) fn close(&self) {
        if !self.birthplace.is_elsewhere() {
            self.consumer.close();
        }
    }

    /// Counters as a dict.
    pub(crate) fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        metrics::consumer(
            py,
            &self.consumer.metrics(),
            &self.consumer.client().metrics(),
        )
    }
}

impl Drop for ConsumerCore {
    /// Nothing waits here: the tasks end on their own.
    fn drop(&mut self) {
        self.close();
    }
}
