//! Text from Python that may be a secret. Python's own errors about a value hold all of it
//! (`UnicodeEncodeError.object`), so none of them leaves this file.

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error;

/// The error for text that cannot be sent to a broker, because it was decoded from bytes that are not UTF-8.
const NO_UTF8: &str = "holds text that is not UTF-8 (a lone surrogate)";

/// A text that errors do not show.
pub(crate) struct SecretText(pub(crate) String);

impl<'py> FromPyObject<'_, 'py> for SecretText {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(text) = given.cast::<PyString>() else {
            let kind = kind(&given);
            return Err(PyTypeError::new_err(format!(
                "expected text, not a value of type {kind}"
            )));
        };
        let text = text.to_str();
        text.map(|text| Self(text.to_owned()))
            .map_err(|_| error::config(NO_UTF8.to_owned()))
    }
}

/// A setting of an object that holds settings. The error names it, and does not show its value.
pub(crate) fn setting<'py, T: FromPyObjectOwned<'py>>(
    config: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<T> {
    let given = config.getattr(name)?;
    given.extract().map_err(|_| {
        let is_no_utf8 = given
            .cast::<PyString>()
            .is_ok_and(|text| text.to_str().is_err());
        let problem = match is_no_utf8 {
            true => NO_UTF8.to_owned(),
            false => format!("cannot be a value of type {}", kind(&given)),
        };
        error::setting(name, problem)
    })
}

fn kind(given: &Bound<'_, PyAny>) -> String {
    let name = given.get_type().name();
    name.map_or_else(|_| "unknown".to_owned(), |name| name.to_string())
}
