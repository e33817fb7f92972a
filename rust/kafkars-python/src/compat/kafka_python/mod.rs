//! What the faces of kafka-python need natively: their records, and the calls that run once per record.
//!
//! kafka-python's records and metadata are named tuples, so they are tuples here too: made whole, field by field, but
//! without the Python code that a named tuple's own constructor is. The rest of the faces is Python over `kafkars`.

mod future;
mod metadata;
mod reader;
mod record;
mod send_engine;
mod sender;
mod serde;

use pyo3::prelude::*;

use self::future::PySendFuture;
use self::reader::PyKafkaPythonReader;
use self::sender::PyKafkaPythonSender;

/// Adds the classes to the extension module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyKafkaPythonReader>()?;
    module.add_class::<PySendFuture>()?;
    module.add_class::<PyKafkaPythonSender>()
}
