//! Registration of everything that Python sees.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PySequence};

use crate::admin::{PyAdmin, PyAdminRequest};
use crate::aio::{
    PyCall, PyCoroutineMethod, PyFuture, PyLoopBridge, coroutine_method, send, turns,
};
use crate::arrow::{PyArrowBatch, check_arrow_layout};
use crate::batch::{PyRecordBatch, PyRecordIterator};
use crate::broker::{PyCertificateAuthority, PyEmbeddedBroker, PyMadeCertificate, PySeenRequest};
use crate::client_handle::PyClientHandle;
use crate::compat::confluent::{self, PyConfluentConsumer, PyConfluentProducer, PyMessage};
use crate::compat::{aiokafka, kafka_python};
use crate::config::{AdminFields, ClientSettings, ConsumerFields, ProducerFields};
use crate::consumer::{PyAsyncConsumer, PyBaseConsumer, PyConsumer};
use crate::metadata::PyRecordMetadata;
use crate::payloads::{PyArrowColumn, PyPayloadDecoder};
use crate::pending_flag::PyPendingFlag;
use crate::producer::{
    self, PyAsyncDeliveries, PyAsyncProducer, PyBaseProducer, PyBatchBuilder, PyDeliveries,
    PyDeliveryFuture, PyProducer,
};
use crate::record::{PyDeserializedRecord, PyRecord};
use crate::record_restore::{restore_batch, restore_metadata, restore_record};
use crate::types::check_limits;
use crate::{error, gc, log};

#[pymodule(gil_used = false)]
fn _kafkars(module: &Bound<'_, PyModule>) -> PyResult<()> {
    gc::leave_collector::<PyDeliveryFuture>(module.py());
    gc::leave_collector::<PyMessage>(module.py());
    gc::leave_collector::<PyRecord>(module.py());
    send::install(module.py());
    coroutine_method::install(module.py());
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<PyAdmin>()?;
    module.add_class::<PyAdminRequest>()?;
    aiokafka::register(module)?;
    kafka_python::register(module)?;
    module.add_class::<PyArrowBatch>()?;
    module.add_class::<PyArrowColumn>()?;
    module.add_class::<PyPayloadDecoder>()?;
    module.add_class::<PyAsyncConsumer>()?;
    // Both flavours call theirs Deliveries; the module is private.
    module.add(
        "AsyncDeliveries",
        module.py().get_type::<PyAsyncDeliveries>(),
    )?;
    module.add_class::<PyAsyncProducer>()?;
    module.add_class::<PyBaseConsumer>()?;
    module.add_class::<PyBaseProducer>()?;
    module.add_class::<PyBatchBuilder>()?;
    module.add_class::<PyClientHandle>()?;
    module.add_class::<PyPendingFlag>()?;
    module.add_class::<PyCall>()?;
    module.add_class::<PyCoroutineMethod>()?;
    module.add_class::<PyConfluentConsumer>()?;
    module.add_class::<PyConfluentProducer>()?;
    module.add_class::<PyConsumer>()?;
    module.add_class::<PyDeliveries>()?;
    module.add_class::<PyDeliveryFuture>()?;
    module.add_class::<PyDeserializedRecord>()?;
    module.add_class::<PyEmbeddedBroker>()?;
    module.add_class::<PySeenRequest>()?;
    module.add_class::<PyCertificateAuthority>()?;
    module.add_class::<PyMadeCertificate>()?;
    module.add_class::<PyFuture>()?;
    module.add_class::<PyMessage>()?;
    module.add_class::<PyLoopBridge>()?;
    module.add_class::<PyProducer>()?;
    module.add_class::<PyRecord>()?;
    module.add_class::<PyRecordBatch>()?;
    PySequence::register::<PyRecordBatch>(module.py())?;
    module.add_class::<PyRecordIterator>()?;
    module.add_class::<PyRecordMetadata>()?;
    module.add_function(wrap_pyfunction!(close_all, module)?)?;
    module.add_function(wrap_pyfunction!(check_arrow_layout, module)?)?;
    module.add_function(wrap_pyfunction!(check_limits, module)?)?;
    module.add_function(wrap_pyfunction!(config_fields, module)?)?;
    module.add_function(wrap_pyfunction!(error_table, module)?)?;
    module.add_function(wrap_pyfunction!(restore_batch, module)?)?;
    module.add_function(wrap_pyfunction!(restore_metadata, module)?)?;
    module.add_function(wrap_pyfunction!(restore_record, module)?)?;
    module.add_function(wrap_pyfunction!(confluent::partition_of_key, module)?)?;
    module.add_function(wrap_pyfunction!(confluent::runs_of_messages, module)?)?;
    module.add_function(wrap_pyfunction!(log::set_log_level, module)?)?;
    module.add_function(wrap_pyfunction!(log::stop_logs, module)?)?;
    module.add_function(wrap_pyfunction!(log::take_logs, module)?)?;
    module.add_function(wrap_pyfunction!(log::wait_logs, module)?)?;
    module.add_function(wrap_pyfunction!(turns::turn_is_due, module)?)?;
    module.add_function(wrap_pyfunction!(turns::call_begins, module)?)?;
    Ok(())
}

/// Closes every producer that is still open, for up to `seconds`, and tells the log of failures that nobody has asked
/// about. Returns how many records were given up.
#[pyfunction]
fn close_all(py: Python<'_>, seconds: f64) -> usize {
    let time_limit = Duration::from_secs_f64(seconds.clamp(0.0, 60.0));
    py.detach(|| {
        let lost = producer::close_all(time_limit);
        kafkars_client::tell_unheard_failures();
        lost
    })
}

/// The settings that are read from each dataclass of `kafkars.config`.
#[pyfunction]
fn config_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("ClientConfig", ClientSettings::FIELDS)?;
    dict.set_item(
        "AdminConfig",
        [ClientSettings::FIELDS, AdminFields::FIELDS].concat(),
    )?;
    dict.set_item(
        "ProducerConfig",
        [ClientSettings::FIELDS, ProducerFields::FIELDS].concat(),
    )?;
    dict.set_item(
        "ConsumerConfig",
        [ClientSettings::FIELDS, ConsumerFields::FIELDS].concat(),
    )?;
    Ok(dict)
}

/// Every broker error of the native table: code, name, and whether it is retriable.
#[pyfunction]
fn error_table() -> Vec<(i16, &'static str, bool)> {
    error::table()
}
