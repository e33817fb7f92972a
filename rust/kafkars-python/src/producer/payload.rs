//! Keys, values and header values: from Python objects to bytes, without a copy if the object is immutable.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMapping, PyMemoryView, PyString};

use crate::error;
use crate::serializers::Serializer;

/// Bytes of one part of a record, or the lack of it.
pub(crate) enum Payload<'a, 'py> {
    /// No key, or a tombstone.
    Nothing,
    /// Borrowed from an immutable object the caller holds.
    Borrowed(&'a [u8]),
    /// The bytes that a serializer returned, or a copy of a mutable object.
    Object(Bound<'py, PyBytes>),
}

impl<'a, 'py> Payload<'a, 'py> {
    /// The bytes of `value`, serialized if there is a `serializer`. None stays None: it means no key or a tombstone,
    /// which is not a value to serialize.
    #[inline]
    pub(crate) fn new(
        what: &'static str,
        topic: &str,
        value: Option<&'a Bound<'py, PyAny>>,
        serializer: Option<&Serializer>,
        headers: Option<&Bound<'py, PyList>>,
    ) -> PyResult<Self> {
        let Some(value) = value else {
            return Ok(Self::Nothing);
        };
        match serializer {
            None => Self::plain(what, value),
            Some(serializer) => Self::serialized(what, topic, value, serializer, headers),
        }
    }

    #[inline]
    pub(crate) fn plain(what: &'static str, value: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Self::Borrowed(bytes.as_bytes()));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Self::Borrowed(text.to_str()?.as_bytes()));
        }
        match copied(value)? {
            Some(bytes) => Ok(Self::Object(bytes)),
            None => {
                let advice = match what {
                    "key" => "; a key_serializer makes bytes of other types",
                    "value" => "; a value_serializer makes bytes of other types",
                    _ => "",
                };
                Err(PyTypeError::new_err(format!(
                    "{what}: expected bytes, bytearray, memoryview, str or None, not {}{advice}",
                    value.get_type().name()?
                )))
            }
        }
    }

    fn serialized(
        what: &'static str,
        topic: &str,
        value: &Bound<'py, PyAny>,
        serializer: &Serializer,
        headers: Option<&Bound<'py, PyList>>,
    ) -> PyResult<Self> {
        let py = value.py();
        let made = serializer.call(topic, value, headers);
        let made = made.map_err(|cause| match error::is_of_record(py, &cause) {
            true => {
                let problem = format!("the serializer failed: {cause}");
                error::serialization(py, what, topic, &problem, Some(cause))
            }
            false => cause,
        })?;
        if made.is_none() {
            return Ok(Self::Nothing);
        }
        let made = match made.cast_into::<PyBytes>() {
            Ok(bytes) => return Ok(Self::Object(bytes)),
            Err(error) => error.into_inner(),
        };
        match copied(&made)? {
            Some(bytes) => Ok(Self::Object(bytes)),
            None => {
                let problem = format!(
                    "the serializer returned {}, not bytes",
                    made.get_type().name()?
                );
                Err(error::serialization(py, what, topic, &problem, None))
            }
        }
    }

    /// The bytes.
    #[inline]
    pub(crate) fn as_slice(&self) -> Option<&[u8]> {
        match self {
            Self::Nothing => None,
            Self::Borrowed(bytes) => Some(bytes),
            Self::Object(bytes) => Some(bytes.as_bytes()),
        }
    }
}

/// A copy of the bytes of an object with the buffer protocol; `None` if it has not, or if its items are not bytes.
fn copied<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = value.py();
    let Ok(view) = PyMemoryView::from(value) else {
        return Ok(None);
    };
    if view.getattr(intern!(py, "itemsize"))?.extract::<usize>()? != 1 {
        return Ok(None);
    }
    let bytes = view.call_method0(intern!(py, "tobytes"))?;
    Ok(Some(bytes.cast_into::<PyBytes>()?))
}

/// Headers as given: a sequence of pairs, or a mapping.
pub(crate) fn headers<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<(String, Option<Vec<u8>>)>> {
    let pairs = match given.cast::<PyMapping>() {
        Ok(mapping) => mapping.items()?.into_any(),
        Err(_) => given.clone(),
    };
    let mut headers = Vec::new();
    for pair in pairs.try_iter()? {
        let pair = pair?;
        let Ok((name, value)) = pair.extract::<(String, Option<Bound<'py, PyAny>>)>() else {
            return Err(PyTypeError::new_err(format!(
                "headers: expected pairs of a name (str) and a value (bytes or None), not {}",
                pair.repr()?
            )));
        };
        let value = value
            .as_ref()
            .map(|value| Payload::plain("header", value))
            .transpose()?;
        headers.push((
            name,
            value.and_then(|value| value.as_slice().map(<[u8]>::to_vec)),
        ));
    }
    Ok(headers)
}
