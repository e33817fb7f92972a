//! The arguments of one call of `send`, as a record.

use kafkars_client::ProduceRecord;
use kafkars_records::Header;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::payload::{Payload, headers};
use crate::serializers::{Serializers, header_list};

/// What the caller gave, as Python objects.
pub(crate) struct Arguments<'a, 'py> {
    pub(super) topic: &'a Bound<'py, PyAny>,
    pub(super) value: Option<&'a Bound<'py, PyAny>>,
    pub(super) key: Option<&'a Bound<'py, PyAny>>,
    pub(super) partition: Option<i32>,
    pub(super) timestamp: Option<i64>,
    pub(super) headers: Option<&'a Bound<'py, PyAny>>,
}

impl<'a, 'py> Arguments<'a, 'py> {
    /// The arguments in the order of `send`.
    #[inline]
    pub(crate) fn new(
        topic: &'a Bound<'py, PyAny>,
        value: Option<&'a Bound<'py, PyAny>>,
        key: Option<&'a Bound<'py, PyAny>>,
        partition: Option<i32>,
        timestamp: Option<i64>,
        headers: Option<&'a Bound<'py, PyAny>>,
    ) -> Self {
        Self {
            topic,
            value,
            key,
            partition,
            timestamp,
            headers,
        }
    }
}

/// The record of one call, with key and value as bytes.
pub(crate) struct SendArguments<'a, 'py> {
    pub(crate) topic: &'a str,
    pub(crate) partition: Option<i32>,
    timestamp: Option<i64>,
    key: Payload<'a, 'py>,
    value: Payload<'a, 'py>,
    headers: Vec<(String, Option<Vec<u8>>)>,
}

impl<'a, 'py> SendArguments<'a, 'py> {
    /// Runs the serializers.
    #[inline]
    pub(crate) fn new(serializers: &Serializers, arguments: &Arguments<'a, 'py>) -> PyResult<Self> {
        let topic = topic_name(arguments.topic)?;
        let py = arguments.topic.py();
        let list = match serializers.see_headers {
            true => Some(header_list(py, arguments.headers)?),
            false => None,
        };
        let key = Payload::new(
            "key",
            topic,
            arguments.key,
            serializers.key.as_ref(),
            list.as_ref(),
        )?;
        let value = Payload::new(
            "value",
            topic,
            arguments.value,
            serializers.value.as_ref(),
            list.as_ref(),
        )?;
        let list = list.map(Bound::into_any);
        let given = list.as_ref().or(arguments.headers);
        Ok(Self {
            topic,
            partition: arguments.partition,
            timestamp: arguments.timestamp,
            key,
            value,
            headers: given.map(headers).transpose()?.unwrap_or_default(),
        })
    }

    /// The serialized key.
    #[inline]
    pub(crate) fn key(&self) -> Option<&[u8]> {
        self.key.as_slice()
    }

    /// Calls `send` with the record.
    #[inline]
    pub(crate) fn with<T>(&self, send: impl FnOnce(&ProduceRecord<'_>) -> T) -> T {
        let record = ProduceRecord {
            topic: self.topic,
            partition: self.partition,
            timestamp: self.timestamp,
            key: self.key.as_slice(),
            value: self.value.as_slice(),
            headers: &[],
        };
        if self.headers.is_empty() {
            return send(&record);
        }
        let headers: Vec<_> = self.headers.iter().map(header).collect();
        send(&ProduceRecord {
            headers: &headers,
            ..record
        })
    }

    /// A copy that needs no Python object.
    pub(crate) fn into_owned(self) -> OwnedRecord {
        OwnedRecord {
            topic: self.topic.into(),
            partition: self.partition,
            timestamp: self.timestamp,
            key: self.key.as_slice().map(Into::into),
            value: self.value.as_slice().map(Into::into),
            headers: self.headers,
        }
    }
}

/// A record that owns its bytes.
#[derive(Default)]
pub(crate) struct OwnedRecord {
    pub(crate) topic: Box<str>,
    pub(crate) partition: Option<i32>,
    timestamp: Option<i64>,
    pub(crate) key: Option<Box<[u8]>>,
    value: Option<Box<[u8]>>,
    headers: Vec<(String, Option<Vec<u8>>)>,
}

impl OwnedRecord {
    /// A copy of a record.
    pub(crate) fn copy(record: &ProduceRecord<'_>) -> Self {
        let headers = record.headers.iter();
        Self {
            topic: record.topic.into(),
            partition: record.partition,
            timestamp: record.timestamp,
            key: record.key.map(Into::into),
            value: record.value.map(Into::into),
            headers: headers
                .map(|header| (header.key.to_owned(), header.value.map(<[u8]>::to_vec)))
                .collect(),
        }
    }

    /// Calls `send` with the record.
    pub(crate) fn with<T>(&self, send: impl FnOnce(&ProduceRecord<'_>) -> T) -> T {
        let headers: Vec<_> = self.headers.iter().map(header).collect();
        send(&ProduceRecord {
            topic: &self.topic,
            partition: self.partition,
            timestamp: self.timestamp,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: &headers,
        })
    }

    /// About how many bytes it holds.
    pub(crate) fn size(&self) -> usize {
        const OVERHEAD: usize = 128;
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| name.len() + value.as_ref().map_or(0, Vec::len));
        let parts = [&self.key, &self.value].map(|part| part.as_ref().map_or(0, |part| part.len()));
        OVERHEAD + self.topic.len() + parts.iter().sum::<usize>() + headers.sum::<usize>()
    }
}

fn header((key, value): &(String, Option<Vec<u8>>)) -> Header<'_> {
    Header {
        key,
        value: value.as_deref(),
    }
}

#[inline]
pub(super) fn topic_name<'a>(given: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    match given.cast::<PyString>() {
        Ok(topic) => topic.to_str(),
        Err(_) => Err(PyTypeError::new_err(format!(
            "topic: expected str, not {}",
            given.get_type().name()?
        ))),
    }
}
