//! The native parts of the face of aiokafka: its record, and the calls that run once per record or batch of records.
//!
//! The rest of the face is Python over `kafkars.aio`.

mod assignor;
mod errors;
mod hooks;
mod reader;
mod record;
mod record_metadata;
mod record_reader;
mod sender;
mod wait;

use pyo3::prelude::*;

use self::reader::PyAiokafkaReader;
use self::record::PyConsumerRecord;
use self::sender::PyAiokafkaSender;
use crate::gc;

/// Adds the classes to the extension module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    gc::leave_collector::<PyConsumerRecord>(py);
    module.add_function(wrap_pyfunction!(assignor::sticky_assignment, module)?)?;
    module.add_class::<PyAiokafkaReader>()?;
    module.add_class::<PyAiokafkaSender>()?;
    // The module is private, and others have records as well.
    module.add("AiokafkaRecord", py.get_type::<PyConsumerRecord>())
}
