//! Records as positions in the data of their batch: nothing is copied and nothing is allocated.

use std::borrow::Cow;

use crate::{
    attributes::TimestampType,
    batch_header::BatchHeader,
    varint::{read_length, read_varint, read_varlong},
};

/// A record as positions in [`Batch::data`](crate::Batch::data).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordView {
    /// Offset in the partition.
    pub offset: i64,
    /// Timestamp in ms since 1970, or -1 if the record has none. With log-append time it is that of the batch.
    pub timestamp: i64,
    /// The key, or `None`.
    pub key: Option<Span>,
    /// The value, or `None` for a tombstone.
    pub value: Option<Span>,
    /// Position of the first header.
    pub headers_start: u32,
    /// Number of headers.
    pub header_count: u32,
    /// Position of the next record; the length of the data after the last.
    pub next: u32,
}

/// Bytes `start..end` of [`Batch::data`](crate::Batch::data).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// Position of the first byte.
    pub start: u32,
    /// Position after the last byte.
    pub end: u32,
}

impl Span {
    /// Bytes in the span.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// True if the span is empty.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A header of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderView<'a> {
    /// The key. Kafka demands UTF-8, but nothing between the producer and here enforces it.
    pub key: &'a [u8],
    /// The value, or `None`.
    pub value: Option<Span>,
}

impl<'a> HeaderView<'a> {
    /// The key as text; invalid UTF-8 becomes replacement characters, as in Java's client.
    pub fn key_text(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.key)
    }
}

/// Iterates over the headers of one record.
#[derive(Debug, Clone)]
pub struct HeaderWalk<'a> {
    /// The data up to the end of the record.
    data: &'a [u8],
    position: usize,
    left: u32,
}

impl<'a> HeaderWalk<'a> {
    pub(crate) fn new(data: &'a [u8], record: &RecordView) -> Self {
        let data = data.get(..record.next as usize).unwrap_or_default();
        Self {
            data,
            position: record.headers_start as usize,
            left: record.header_count,
        }
    }

    fn parse(&mut self) -> Option<HeaderView<'a>> {
        let key = read_span(self.data, &mut self.position)??;
        let value = read_span(self.data, &mut self.position)?;
        let key = self.data.get(key.start as usize..key.end as usize)?;
        Some(HeaderView { key, value })
    }
}

impl<'a> Iterator for HeaderWalk<'a> {
    type Item = HeaderView<'a>;

    fn next(&mut self) -> Option<HeaderView<'a>> {
        self.left = self.left.checked_sub(1)?;
        self.parse()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left as usize))
    }
}

/// The fields of one record as they are encoded, relative to the header of the batch.
struct Fields {
    timestamp_delta: i64,
    offset_delta: i32,
    key: Option<Span>,
    value: Option<Span>,
    headers_start: u32,
    header_count: u32,
    next: u32,
}

/// The record at `position` of data that [`check`] has accepted.
#[inline]
pub(crate) fn view(header: &BatchHeader, data: &[u8], position: u32) -> RecordView {
    let Some(fields) = fields(data, position as usize) else {
        return nothing(data);
    };
    let timestamp = match header.attributes.timestamp_type() {
        TimestampType::CreateTime => header.base_timestamp.wrapping_add(fields.timestamp_delta),
        TimestampType::LogAppendTime => header.max_timestamp,
    };
    RecordView {
        offset: header
            .base_offset
            .wrapping_add(i64::from(fields.offset_delta)),
        timestamp,
        key: fields.key,
        value: fields.value,
        headers_start: fields.headers_start,
        header_count: fields.header_count,
        next: fields.next,
    }
}

/// Checks the record at `position` to its last byte. Returns the position of the next one, and its own offset minus
/// that of the batch.
#[inline]
pub(crate) fn check(data: &[u8], position: usize) -> Result<(usize, i32), &'static str> {
    let fields = fields(data, position).ok_or("its lengths do not fit its bytes")?;
    let next = fields.next as usize;
    if fields.header_count == 0 {
        return if fields.headers_start as usize == next {
            Ok((next, fields.offset_delta))
        } else {
            Err("bytes are left over after its value")
        };
    }
    check_headers(data, &fields)?;
    Ok((next, fields.offset_delta))
}

fn check_headers(data: &[u8], fields: &Fields) -> Result<(), &'static str> {
    let record = data.get(..fields.next as usize).unwrap_or_default();
    let mut position = fields.headers_start as usize;
    for _ in 0..fields.header_count {
        read_span(record, &mut position)
            .flatten()
            .ok_or("a header key does not fit")?;
        read_span(record, &mut position).ok_or("a header value does not fit")?;
    }
    if position == record.len() {
        Ok(())
    } else {
        Err("bytes are left over after its headers")
    }
}

/// Reads all fields but the headers. `None` if a length does not fit the record, or the record not the data.
#[inline(always)]
fn fields(data: &[u8], mut position: usize) -> Option<Fields> {
    let next = read_length(data, &mut position)?? + position;
    let record = data.get(..next)?;
    // The attributes byte of a record has no defined bit.
    position += 1;
    let timestamp_delta = read_varlong(record, &mut position)?;
    let offset_delta = read_varint(record, &mut position)?;
    let key = read_span(record, &mut position)?;
    let value = read_span(record, &mut position)?;
    let header_count = read_length(record, &mut position)?? as u32;
    Some(Fields {
        timestamp_delta,
        offset_delta,
        key,
        value,
        headers_start: position as u32,
        header_count,
        next: next as u32,
    })
}

/// Reads bytes with their length before them; any negative length means null, as in Java's client. The outer `None`
/// means that they do not fit.
#[inline(always)]
fn read_span(record: &[u8], position: &mut usize) -> Option<Option<Span>> {
    let Some(length) = read_length(record, position)? else {
        return Some(None);
    };
    let start = *position;
    let end = start + length;
    if end > record.len() {
        return None;
    }
    *position = end;
    Some(Some(Span {
        start: start as u32,
        end: end as u32,
    }))
}

/// The result for a position where there is no record: empty, and the end of an iteration.
#[cold]
fn nothing(data: &[u8]) -> RecordView {
    let end = data.len() as u32;
    RecordView {
        offset: -1,
        timestamp: -1,
        key: None,
        value: None,
        headers_start: end,
        header_count: 0,
        next: end,
    }
}
