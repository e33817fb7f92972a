//! Encoding of one record in format v2.

use crate::{
    batch::Batch,
    batch_header::BatchHeader,
    record::RecordView,
    varint::{MAX_VARLONG, push_varlong, varlong_size},
};

/// A header of a record to append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The key; it may be empty and may repeat, but must not be null.
    pub key: &'a str,
    /// The value, or null.
    pub value: Option<&'a [u8]>,
}

/// Length of a record in bytes, without its length field. Offset and timestamp are relative to the batch.
#[inline]
fn record_length(
    timestamp_delta: i64,
    offset_delta: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: &[Header<'_>],
) -> usize {
    1 + varlong_size(timestamp_delta)
        + varlong_size(offset_delta)
        + sized(key)
        + sized(value)
        + headers_size(headers)
}

/// The bytes that [`push_record`] appends.
pub(crate) fn record_size(
    timestamp_delta: i64,
    offset_delta: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: &[Header<'_>],
) -> usize {
    let length = record_length(timestamp_delta, offset_delta, key, value, headers);
    varlong_size(length as i64) + length
}

/// Appends a record. Its offset and timestamp are relative to the batch.
#[inline]
pub(crate) fn push_record(
    buffer: &mut Vec<u8>,
    timestamp_delta: i64,
    offset_delta: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: &[Header<'_>],
) {
    let length = record_length(timestamp_delta, offset_delta, key, value, headers);
    buffer.reserve(MAX_VARLONG + length);

    push_varlong(buffer, length as i64);
    // The attributes of a record, of which no bit is defined.
    buffer.push(0);
    push_varlong(buffer, timestamp_delta);
    push_varlong(buffer, offset_delta);
    push_bytes(buffer, key);
    push_bytes(buffer, value);
    push_varlong(buffer, headers.len() as i64);
    for header in headers {
        push_bytes(buffer, Some(header.key.as_bytes()));
        push_bytes(buffer, header.value);
    }
}

/// Appends a record of another batch with its offset and timestamp, relative to `header`.
pub(crate) fn push_kept(
    buffer: &mut Vec<u8>,
    header: &BatchHeader,
    batch: &Batch,
    record: &RecordView,
) {
    let timestamp_delta = record.timestamp.wrapping_sub(header.base_timestamp);
    let offset_delta = record.offset.wrapping_sub(header.base_offset);
    let key = record.key.map(|span| batch.slice(span));
    let value = record.value.map(|span| batch.slice(span));
    let headers = batch.data();
    let headers = headers
        .get(record.headers_start as usize..record.next as usize)
        .unwrap_or_default();
    let header_count = i64::from(record.header_count);
    let length = 1
        + varlong_size(timestamp_delta)
        + varlong_size(offset_delta)
        + sized(key)
        + sized(value)
        + varlong_size(header_count)
        + headers.len();
    push_varlong(buffer, length as i64);
    buffer.push(0);
    push_varlong(buffer, timestamp_delta);
    push_varlong(buffer, offset_delta);
    push_bytes(buffer, key);
    push_bytes(buffer, value);
    push_varlong(buffer, header_count);
    buffer.extend_from_slice(headers);
}

/// The most bytes that [`push_record`] can append, whatever the deltas.
#[inline]
pub(crate) fn size_bound(
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: &[Header<'_>],
) -> usize {
    // Attributes, and both deltas at their longest: 10 bytes and 5.
    let length = 1 + MAX_VARLONG + 5 + sized(key) + sized(value) + headers_size(headers);
    varlong_size(length as i64) + length
}

/// Size of bytes together with the length before them.
#[inline(always)]
fn sized(bytes: Option<&[u8]>) -> usize {
    bytes.map_or(1, |bytes| varlong_size(bytes.len() as i64) + bytes.len())
}

#[inline(always)]
fn headers_size(headers: &[Header<'_>]) -> usize {
    let each = |header: &Header<'_>| sized(Some(header.key.as_bytes())) + sized(header.value);
    varlong_size(headers.len() as i64) + headers.iter().map(each).sum::<usize>()
}

#[inline(always)]
fn push_bytes(buffer: &mut Vec<u8>, bytes: Option<&[u8]>) {
    let Some(bytes) = bytes else {
        push_varlong(buffer, -1);
        return;
    };
    push_varlong(buffer, bytes.len() as i64);
    buffer.extend_from_slice(bytes);
}
