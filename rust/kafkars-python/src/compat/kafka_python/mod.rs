//! The native parts of the faces of kafka-python: their records, and the calls that run once per record.
//!
//! kafka-python's records and metadata are named tuples, so they are tuples here too, but made without a named tuple's
//! own constructor, which is Python code. The rest of the faces is Python over `kafkars`.

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
