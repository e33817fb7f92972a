//! Arguments whose errors name them.
//!
//! PyO3 tells the name of an argument that does not fit in a note of the exception. Notes came with Python 3.11, and
//! `str(error)`, which is what most programs log, leaves them out on every version.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;

use crate::error;

/// A converter for `#[pyo3(from_py_with = ...)]`, called like the argument.
macro_rules! argument {
    ($name:ident: $kind:ty) => {
        pub(crate) fn $name(given: &Bound<'_, PyAny>) -> PyResult<$kind> {
            given
                .extract::<$kind>()
                .map_err(|error: PyErr| named(given, stringify!($name), error))
        }
    };
}

argument!(offset: i64);
argument!(topic: String);
argument!(leader_epoch: Option<i32>);

/// As arguments of a record that may be left out.
pub(crate) mod record {
    use pyo3::prelude::*;

    use pyo3::exceptions::PyOverflowError;

    use super::named;
    use crate::error;
    use crate::types;

    /// A partition.
    pub(crate) fn partition(given: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
        given
            .extract()
            .map_err(|error: PyErr| ranged(given, "partition", "InvalidPartitionError", error))
    }

    /// A timestamp: ms, or a `datetime`. Seconds are refused.
    pub(crate) fn timestamp(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        match moment(given) {
            Ok(Some(ms)) if is_in_seconds(given, ms) => Err(error::attached(
                TIMESTAMP_ERROR,
                format!("timestamp: {ms} looks like seconds; it is in ms, or a datetime"),
            )),
            outcome => outcome,
        }
    }

    /// Likewise, whatever the number may mean.
    pub(crate) fn moment(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        match given.extract() {
            Ok(timestamp) => Ok(timestamp),
            Err(_) if types::is_datetime(given)? => types::milliseconds_of(given)
                .map(Some)
                .map_err(|error| named(given, "timestamp", error)),
            Err(error) => Err(ranged(given, "timestamp", TIMESTAMP_ERROR, error)),
        }
    }

    fn is_in_seconds(given: &Bound<'_, PyAny>, ms: i64) -> bool {
        SECONDS_OF_THIS_TIME.contains(&ms) && given.extract::<i64>().is_ok()
    }

    const TIMESTAMP_ERROR: &str = "InvalidRecordTimestampError";

    /// The seconds from 2001 to 2286. In ms they are some weeks of 1970, which a `datetime` can name.
    const SECONDS_OF_THIS_TIME: std::ops::Range<i64> = 1_000_000_000..10_000_000_000;

    /// A number that Kafka has no room for, with our class for it.
    fn ranged(given: &Bound<'_, PyAny>, name: &str, class: &'static str, error: PyErr) -> PyErr {
        if error.is_instance_of::<PyOverflowError>(given.py()) {
            return error::attached(class, format!("{name}: {given} is out of range"));
        }
        named(given, name, error)
    }
}

/// As the argument of a search by time.
pub(crate) mod search {
    use pyo3::prelude::*;

    use super::named;

    argument!(timestamp: i64);
}

/// Fails for what cannot be called.
#[inline]
pub(crate) fn function(given: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    if given.is_callable() {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: expected a function, not {}",
        given.repr()?
    )))
}

/// How many records at most, where it is said.
pub(crate) fn max_records(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    given.extract().map_err(|error: PyErr| {
        if is_overflow(given.py(), &error) {
            return error::argument(format!("max_records must be at least 1, not {given}"));
        }
        named(given, "max_records", error)
    })
}

/// A whole number, or none where it is something else. One that is too large for Kafka is no matter of its type.
pub(crate) fn whole(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<i64>> {
    match given.extract() {
        Ok(number) => Ok(Some(number)),
        Err(error) if is_overflow(given.py(), &error) => Err(named(given, name, error)),
        Err(_) => Ok(None),
    }
}

fn is_overflow(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyOverflowError>(py)
}

/// An error with the argument's name in front: of the type, or of a number that Kafka has no room for.
pub(crate) fn named(given: &Bound<'_, PyAny>, name: &str, error: PyErr) -> PyErr {
    let py = given.py();
    if is_overflow(py, &error) {
        return error::argument(format!("{name}: {given} is out of range"));
    }
    if !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    PyTypeError::new_err(format!("{name}: {}", error.value(py)))
}
