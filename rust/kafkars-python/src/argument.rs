//! Converters of arguments whose errors name the argument.
//!
//! PyO3 puts the name of an argument of the wrong type into a note of the exception. Notes came with Python 3.11, and
//! `str(error)`, which most programs log, leaves them out on every version.

use kafkars_records::mistaken_unit;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use crate::error;
use crate::imports::IS_COROUTINE_FUNCTION;

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

argument!(topic: String);
argument!(leader_epoch: Option<i32>);

/// The argument `timeout`.
pub(crate) fn timeout(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    given.extract().map_err(|error: PyErr| {
        let kind = given.get_type().name();
        match (error.is_instance_of::<PyTypeError>(given.py()), kind) {
            (true, Ok(kind)) => PyTypeError::new_err(format!(
                "timeout: expected a number of seconds, or None, not {kind}"
            )),
            _ => error,
        }
    })
}

/// The argument `offset` of a seek.
pub(crate) fn offset(given: &Bound<'_, PyAny>) -> PyResult<i64> {
    given.extract().map_err(|error: PyErr| {
        if given.is_instance_of::<PyString>() {
            return PyTypeError::new_err(
                "offset: expected a number, not str; seek_to_beginning() and seek_to_end() go to the ends",
            );
        }
        named(given, "offset", error)
    })
}

/// Converters for arguments of a record that may be left out.
pub(crate) mod record {
    use pyo3::prelude::*;

    use pyo3::exceptions::PyOverflowError;
    use pyo3::types::PyBool;

    use super::{is_no_number, named, no_timestamp};
    use crate::datetime;
    use crate::error;

    /// A partition.
    pub(crate) fn partition(given: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
        given
            .extract()
            .map_err(|error: PyErr| ranged(given, "partition", "InvalidPartitionError", error))
    }

    /// A timestamp: ms, or a `datetime`. Numbers in another unit are refused.
    pub(crate) fn timestamp(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        let moment = moment(given)?;
        if let Some(ms) = moment
            && let Some(problem) = super::mistaken(given, ms)
        {
            return Err(error::attached(TIMESTAMP_ERROR, problem));
        }
        Ok(moment)
    }

    /// A timestamp: ms, or a `datetime`. A number in seconds is not told apart.
    pub(crate) fn moment(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        match given.extract() {
            Ok(Some(0 | 1)) if given.is_instance_of::<PyBool>() => Err(no_timestamp(given)),
            Ok(timestamp) => Ok(timestamp),
            Err(_) if datetime::is_datetime(given)? => datetime::milliseconds_of(given)
                .map(Some)
                .map_err(|error| named(given, "timestamp", error)),
            Err(_) if is_no_number(given) => Err(no_timestamp(given)),
            Err(error) => Err(ranged(given, "timestamp", TIMESTAMP_ERROR, error)),
        }
    }

    const TIMESTAMP_ERROR: &str = "InvalidRecordTimestampError";

    /// The error for a number that is too large for Kafka, of the given class.
    fn ranged(given: &Bound<'_, PyAny>, name: &str, class: &'static str, error: PyErr) -> PyErr {
        if error.is_instance_of::<PyOverflowError>(given.py()) {
            return error::attached(class, format!("{name}: {given} is out of range"));
        }
        named(given, name, error)
    }
}

/// Converters for the argument of a search by time.
pub(crate) mod search {
    use pyo3::prelude::*;
    use pyo3::types::PyBool;

    use super::{is_no_number, mistaken, named, no_timestamp};
    use crate::{datetime, error};

    /// A moment to look for: ms, or a `datetime`. Numbers in another unit are refused: seconds would find the beginning
    /// of every log.
    pub(crate) fn timestamp(given: &Bound<'_, PyAny>) -> PyResult<i64> {
        let ms = match given.extract::<i64>() {
            Ok(0 | 1) if given.is_instance_of::<PyBool>() => return Err(no_timestamp(given)),
            Ok(ms) => Ok(ms),
            Err(_) if datetime::is_datetime(given)? => datetime::milliseconds_of(given),
            Err(_) if is_no_number(given) => return Err(no_timestamp(given)),
            Err(error) => Err(error),
        }
        .map_err(|error| named(given, "timestamp", error))?;
        match mistaken(given, ms) {
            Some(problem) => Err(error::argument(problem)),
            None => Ok(ms),
        }
    }
}

/// True if an object is not an integer of any size.
fn is_no_number(given: &Bound<'_, PyAny>) -> bool {
    given
        .getattr_opt(intern!(given.py(), "__index__"))
        .is_ok_and(|method| method.is_none())
}

/// The error for an object that is not a timestamp.
fn no_timestamp(given: &Bound<'_, PyAny>) -> PyErr {
    let name = given.get_type().name();
    let name = name.map_or_else(|_| "object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "timestamp: expected ms since 1970 as an int, such as int(time.time() * 1000), or a datetime, not {name}"
    ))
}

/// Says what is wrong with a number that seems to be in another unit than ms. A `datetime` may be any moment, and so
/// may an object of a class derived from `int` (`kafkars.compat._times.Milliseconds`).
fn mistaken(given: &Bound<'_, PyAny>, ms: i64) -> Option<String> {
    let unit = mistaken_unit(ms)?;
    let is_derived = given.is_instance_of::<PyInt>() && !given.is_exact_instance_of::<PyInt>();
    if is_derived || given.extract::<i64>().is_err() {
        return None;
    }
    Some(format!(
        "timestamp: {ms} looks like {unit}; it is in ms, or a datetime"
    ))
}

/// Fails for an object that cannot be called, and for a coroutine function, whose coroutine would not be awaited.
pub(crate) fn function(given: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    let is_coroutine_function = IS_COROUTINE_FUNCTION.get(given.py())?;
    if is_coroutine_function.call1((given,))?.is_truthy()? {
        return Err(PyTypeError::new_err(format!(
            "{name}: {} is a coroutine function, and nobody awaits what it returns; give an ordinary function",
            given.repr()?
        )));
    }
    if given.is_callable() {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: expected a function, not {}",
        given.repr()?
    )))
}

/// The argument `max_records`, if it is given.
pub(crate) fn max_records(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    given.extract().map_err(|error: PyErr| {
        if is_overflow(given.py(), &error) {
            return error::argument(format!("max_records must be at least 1, not {given}"));
        }
        named(given, "max_records", error)
    })
}

/// An integer, or `None` if it is something else. One that is too large for Kafka is an error, but no `TypeError`.
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

/// An error with the argument's name in front: of a wrong type, or of a number that is too large for Kafka.
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
