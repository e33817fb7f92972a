//! `datetime` objects as Kafka's timestamps.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::imports::{DATETIME, TIMEZONE};

/// True if an object is a `datetime`.
pub(crate) fn is_datetime(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    given.is_instance(DATETIME.get(given.py())?)
}

/// The ms since 1970 of a `datetime` with a time zone, rounded down.
pub(crate) fn milliseconds_of(given: &Bound<'_, PyAny>) -> PyResult<i64> {
    static EPOCH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    const PER_DAY: i64 = 86_400_000;
    let py = given.py();
    if given.call_method0("utcoffset")?.is_none() {
        return Err(PyValueError::new_err(
            "a datetime without a time zone names no moment; give it one, such as tzinfo=datetime.timezone.utc",
        ));
    }
    let epoch = EPOCH.get_or_try_init(py, || -> PyResult<_> {
        let utc = TIMEZONE.get(py)?.getattr("utc")?;
        let epoch = DATETIME.get(py)?.call1((1970, 1, 1, 0, 0, 0, 0, utc))?;
        Ok(epoch.unbind())
    })?;
    let since = given.sub(epoch.bind(py))?;
    let part = |name: &str| since.getattr(name)?.extract::<i64>();
    Ok(part("days")? * PER_DAY + part("seconds")? * 1_000 + part("microseconds")? / 1_000)
}
