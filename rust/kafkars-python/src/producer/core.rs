//! The producer behind both flavours, synchronous and asyncio: serializers, the partition function, the fork rule,
//! closing.

use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use kafkars_client::{Client, Delivery, ProduceError, Producer, SendPermit, TopicMetadata};
use parking_lot::Mutex;
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::batch_builder::PyBatchBuilder;
use super::callbacks::{Callbacks, Expected};
use super::ending::Ending;
use super::failures::Failures;
use super::interceptors::{Intercepted, Interceptors};
use super::send_arguments::{Arguments, SendArguments};
use super::unplaced::Unplaced;
use crate::aio::PyLoopBridge;
use crate::config::ProducerSettings;
use crate::error;
use crate::lent::LentObjects;
use crate::log;
use crate::metadata::{self, ReportFunction};
use crate::metrics;
use crate::runtime::{self, ForkGuard};
use crate::serializers::Serializers;
use crate::types;

/// A producer and what Python adds to it.
pub(crate) struct ProducerCore {
    pub(crate) producer: Producer,
    pub(crate) serializers: Serializers,
    pub(super) interceptors: Option<Arc<Interceptors>>,
    /// Outcomes for interceptors, which run with the callbacks and whenever something is sent.
    pub(super) acknowledgements: Callbacks,
    pub(crate) partition_function: Option<Py<PyAny>>,
    lent: LentObjects,
    pub(super) unplaced: Unplaced,
    pub(super) callbacks: Callbacks,
    pub(super) ending: Ending,
    pub(crate) buffer_memory: usize,
    batch_size: usize,
    pub(crate) max_request_size: usize,
    fork_guard: ForkGuard,
    // Set once by the face of another library that reports deliveries in its own way.
    report: OnceLock<ReportFunction>,
}

/// Producers of this process that were not closed, to be closed at exit.
static OPEN: Mutex<Vec<Weak<ProducerCore>>> = Mutex::new(Vec::new());

impl ProducerCore {
    /// Creates a producer on the runtime of this process.
    pub(crate) fn new(py: Python<'_>, settings: &ProducerSettings) -> PyResult<Arc<Self>> {
        PyLoopBridge::end_closed(py)?;
        let mut lent = LentObjects::default();
        let (client, config) = settings.checked(py, &mut lent)?;
        let handle = runtime::handle()?;
        let _inside = handle.enter();
        let buffer_memory = config.buffer_memory;
        let (batch_size, max_request_size) = (config.batch_size, config.max_request_size);
        let producer = Producer::new(Client::new(client, handle.clone()), config);
        let key_serializer = settings.key_serializer(py)?;
        let value_serializer = settings.value_serializer(py)?;
        let stage = Arc::default();
        let core = Arc::new(Self {
            serializers: Serializers::new(key_serializer, value_serializer),
            interceptors: Interceptors::new(py, settings.interceptors())?,
            acknowledgements: Callbacks::new(&stage),
            partition_function: settings.partition_function(py),
            lent,
            unplaced: Unplaced::default(),
            callbacks: Callbacks::new(&stage),
            ending: Ending::default(),
            buffer_memory,
            batch_size,
            max_request_size,
            fork_guard: ForkGuard::here(),
            report: OnceLock::new(),
            producer,
        });
        let mut open = OPEN.lock();
        open.retain(|other| other.strong_count() > 0);
        open.push(Arc::downgrade(&core));
        Ok(core)
    }

    /// Shows objects of the application to the collector, because they may refer to the producer. Only one Python
    /// object of a producer may do so, since each reference is counted once; other objects that share the core do not.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.serializers.traverse(visit)?;
        if let Some(interceptors) = &self.interceptors {
            interceptors.traverse(visit)?;
        }
        visit.call(&self.partition_function)?;
        self.lent.traverse(visit)?;
        self.callbacks.traverse(visit)
    }

    /// How long closing may take if the caller gives no time.
    pub(super) fn close_timeout(&self) -> Duration {
        self.producer.client().config().close_timeout
    }

    /// Fails in a fork of the process the producer was made in.
    #[inline]
    pub(crate) fn check(&self) -> PyResult<()> {
        self.fork_guard.check()
    }

    /// Sets how deliveries are reported, for a face.
    pub(crate) fn report_by(&self, report: ReportFunction) {
        self.report.get_or_init(|| report);
    }

    /// How deliveries are reported.
    #[inline]
    pub(super) fn report(&self) -> ReportFunction {
        self.report.get().copied().unwrap_or(metadata::outcome)
    }

    /// Fails if the producer is closed.
    pub(super) fn check_open(&self, py: Python<'_>) -> PyResult<()> {
        match self.producer.is_closed() {
            true => Err(error::produce(py, &ProduceError::Closed)),
            false => Ok(()),
        }
    }

    /// True if this is a copy in a forked child.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.fork_guard.is_elsewhere()
    }

    /// Lets the partition function choose, if there is one and the record names no partition. False if it cannot be
    /// called yet, because the topic is not known.
    #[inline]
    pub(crate) fn choose_partition(
        &self,
        py: Python<'_>,
        record: &mut SendArguments<'_, '_>,
    ) -> PyResult<bool> {
        if self.partition_function.is_none() || record.partition.is_some() {
            return Ok(true);
        }
        record.partition = self.ask_partition(py, record.topic, record.key())?;
        Ok(record.partition.is_some())
    }

    /// True if the partitions of a topic are known.
    pub(crate) fn is_known(&self, topic: &str) -> bool {
        let cluster = self.producer.client().cluster();
        cluster
            .topic(topic)
            .is_some_and(|topic| !topic.partitions.is_empty())
    }

    /// Calls the partition function; `None` while the topic is not known.
    pub(crate) fn ask_partition(
        &self,
        py: Python<'_>,
        topic: &str,
        key: Option<&[u8]>,
    ) -> PyResult<Option<i32>> {
        let cluster = self.producer.client().cluster();
        let known = cluster
            .topic(topic)
            .filter(|topic| !topic.partitions.is_empty());
        let (Some(function), Some(topic)) = (&self.partition_function, known) else {
            return Ok(None);
        };
        let key = key.map(|key| PyBytes::new(py, key));
        let chosen = function.bind(py).call1((key, topic.partitions.len()))?;
        match chosen.extract::<i32>() {
            Ok(partition) => Ok(Some(partition)),
            Err(_) => Err(PyTypeError::new_err(format!(
                "the partitioner returned {}, not the number of a partition",
                chosen.repr()?
            ))),
        }
    }

    /// Shows a record to the interceptors; `None` if there are none.
    #[inline]
    pub(super) fn intercept<'py>(
        &self,
        py: Python<'py>,
        arguments: &Arguments<'_, 'py>,
    ) -> PyResult<Option<Intercepted<'py>>> {
        match &self.interceptors {
            None => Ok(None),
            Some(interceptors) => interceptors.before(py, arguments).map(Some),
        }
    }

    /// Arranges that interceptors are called with the outcome of a record that was accepted.
    #[inline]
    pub(super) fn watch(&self, delivery: &Delivery) {
        if let Some(interceptors) = &self.interceptors
            && interceptors.listens()
        {
            let batch = delivery.batch();
            self.acknowledgements
                .acknowledge(batch, delivery.clone(), Arc::clone(interceptors));
        }
    }

    /// The error for a record that is not accepted. The transaction that it was sent in has to be aborted.
    #[cold]
    pub(super) fn not_taken(&self, py: Python<'_>, failure: &ProduceError) -> PyErr {
        self.producer.record_refused(failure);
        error::produce(py, failure)
    }

    /// The error for a record that waited without success, as part of the transaction that was open when it was sent.
    #[cold]
    pub(super) fn not_admitted(
        &self,
        py: Python<'_>,
        failure: &ProduceError,
        permit: SendPermit,
    ) -> PyErr {
        self.producer.waiting_refused(failure, permit);
        error::produce(py, failure)
    }

    /// Calls interceptors with a record that was refused by the call.
    pub(super) fn refused(&self, py: Python<'_>, failure: PyErr) -> PyErr {
        match &self.interceptors {
            None => failure,
            Some(interceptors) => match interceptors.after(py, Err(&failure)) {
                Ok(()) => failure,
                Err(problem) => problem,
            },
        }
    }

    /// Runs what is due: interceptors first, then callbacks. Returns how many callbacks ran.
    pub(super) fn serve(&self, py: Python<'_>) -> PyResult<usize> {
        self.acknowledgements.serve(py)?;
        self.callbacks.serve(py)
    }

    /// The callbacks, of interceptors and others, that have not run to their end.
    pub(super) fn expected_callbacks(&self) -> [Expected; 2] {
        [self.acknowledgements.expected(), self.callbacks.expected()]
    }

    /// Waits until these callbacks have run, on this thread or another one, at most until the deadline, and keeps their
    /// exceptions. Returns how many have not run.
    pub(super) fn serve_all(
        &self,
        py: Python<'_>,
        [acknowledgements, callbacks]: &[Expected; 2],
        deadline: Option<Instant>,
        failures: &mut Failures,
    ) -> PyResult<usize> {
        let left = self
            .acknowledgements
            .serve_all(py, acknowledgements, deadline, failures)?;
        let own = self
            .callbacks
            .serve_all(py, callbacks, deadline, failures)?;
        Ok(left + own)
    }

    /// An empty batch to fill.
    pub(super) fn new_batch(&self) -> PyBatchBuilder {
        let limit = self.batch_size.min(self.max_request_size);
        PyBatchBuilder::new(limit, self.max_request_size)
    }

    /// Counters as a dict.
    pub(crate) fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        metrics::producer(
            py,
            &self.producer.metrics(),
            &self.producer.client().metrics(),
        )
    }
}

/// A topic's partitions, asked for when not known.
pub(crate) async fn partitions_for(
    core: Arc<ProducerCore>,
    topic: String,
    time_limit: Duration,
) -> Result<Arc<TopicMetadata>, ProduceError> {
    core.producer
        .partitions_for(&topic, Instant::now() + time_limit)
        .await
}

/// The result of `flush()` and `close()`. Log lines about failures are written before it.
pub(super) fn flush_result<'py>(
    py: Python<'py>,
    left: usize,
    producer: &Producer,
) -> PyResult<Bound<'py, PyAny>> {
    log::hand_over(py);
    types::flush_result(py, left, producer.take_failed())
}

/// The error of `close()` when records were given up.
pub(crate) fn given_up(count: usize, time_limit: Duration) -> PyErr {
    error::timed_out(format!(
        "closed, but {count} records were not acknowledged within {} ms and were given up",
        time_limit.as_millis()
    ))
}

/// Closes producers that the program has left open, so that their records are not lost. Returns how many records were.
pub(crate) fn close_all(time_limit: Duration) -> usize {
    let open: Vec<_> = std::mem::take(&mut *OPEN.lock());
    let open: Vec<_> = open
        .iter()
        .filter_map(Weak::upgrade)
        .filter(|core| !core.is_elsewhere())
        .collect();
    let is_idle = |producer: &Producer| producer.unacknowledged() == 0 && !producer.is_committing();
    if open.iter().all(|core| is_idle(&core.producer)) {
        return 0;
    }
    let Ok(handle) = runtime::handle() else {
        return 0;
    };
    let deadline = Instant::now() + time_limit;
    handle.block_on(async {
        let mut lost = 0;
        for core in open {
            lost += core.producer.close(deadline).await;
        }
        lost
    })
}
