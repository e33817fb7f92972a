//! Reads message sets as batches.

use crate::{
    RecordsError,
    attributes::{Attributes, TimestampType},
    batch::{Batch, RawBatch},
    batch_header::BatchHeader,
    check::{ReadLimits, check_records},
    compression::{self, Codec},
    encode,
};

use super::layout::OVERHEAD;

/// Turns the header of a message into that of a batch. `bytes` is the whole message, which is not shorter than
/// `least_size`.
pub(crate) fn header(bytes: &[u8]) -> Option<BatchHeader> {
    let message = LegacyMessage::parse(&mut &*bytes)?;
    Some(BatchHeader {
        base_offset: message.offset,
        batch_length: message.size,
        partition_leader_epoch: -1,
        magic: message.magic,
        crc: message.crc,
        attributes: message.attributes,
        last_offset_delta: 0,
        base_timestamp: message.timestamp,
        max_timestamp: message.timestamp,
        producer_id: -1,
        producer_epoch: -1,
        base_sequence: -1,
        record_count: 1,
    })
}

/// Opens a message, or the compressed set in it, whose CRC is right. The CRCs of messages in a compressed set are not
/// checked: that of the outer message covers them, and Kafka's own client does not check them either.
pub(crate) fn open(raw: &RawBatch, limits: &ReadLimits) -> Result<Batch, RecordsError> {
    let base_offset = raw.header.base_offset;
    let bad = |index, what| RecordsError::BadRecord {
        base_offset,
        index,
        what,
    };
    let outer = LegacyMessage::parse(&mut &raw.bytes()[..]).ok_or_else(|| bad(0, DOES_NOT_FIT))?;
    let codec = raw.header.codec()?;
    if codec == Codec::None {
        return transcode(raw.header, std::iter::once(Ok(outer)));
    }

    let compressed = outer
        .value
        .ok_or_else(|| bad(0, "a compressed set has no value"))?;
    let set = compression::decompress(codec, compressed, limits.bytes())
        .map_err(|failure| failure.of_batch(base_offset, codec))?;
    let messages = || Messages {
        rest: &set,
        index: 0,
        magic: outer.magic,
        base_offset,
    };
    let mut last = None;
    for message in messages() {
        last = Some(message?.offset);
    }
    let last = last.ok_or_else(|| bad(0, "a compressed set holds no message"))?;
    if outer.magic == 0 && last > outer.offset {
        return Err(bad(0, "it holds offsets behind that of its set"));
    }
    // Magic 1 numbers the messages in a set from 0, so that brokers need not rewrite them; magic 0 has absolute
    // offsets.
    let shift = if outer.magic == 0 {
        0
    } else {
        outer.offset.wrapping_sub(last)
    };
    let shifted =
        messages().map(|message| message.map(|message| message.with_offset_shifted(shift)));
    transcode(raw.header, shifted)
}

const DOES_NOT_FIT: &str = "its lengths do not fit its bytes";

/// A message, as slices of the bytes it is read from.
struct LegacyMessage<'a> {
    offset: i64,
    size: i32,
    crc: u32,
    magic: i8,
    attributes: Attributes,
    timestamp: i64,
    key: Option<&'a [u8]>,
    value: Option<&'a [u8]>,
}

impl<'a> LegacyMessage<'a> {
    /// Takes one message off `rest`; its key and value must fill it exactly.
    fn parse(rest: &mut &'a [u8]) -> Option<Self> {
        let (head, after) = rest.split_first_chunk::<OVERHEAD>()?;
        let (offset, size) = head.split_first_chunk()?;
        let (offset, size) = (
            i64::from_be_bytes(*offset),
            i32::from_be_bytes(*size.first_chunk()?),
        );
        let (mut body, after) = after.split_at_checked(usize::try_from(size).ok()?)?;

        let crc = u32::from_be_bytes(take(&mut body)?);
        let [magic, attributes] = take(&mut body)?.map(u8::cast_signed);
        let (defined, timestamp) = match magic {
            0 => (Attributes::DEFINED_IN_MAGIC_0, -1),
            1 => (
                Attributes::DEFINED_IN_MAGIC_1,
                i64::from_be_bytes(take(&mut body)?),
            ),
            _ => return None,
        };
        let key = take_bytes(&mut body)?;
        let value = take_bytes(&mut body)?;
        *rest = after;
        let attributes = Attributes::from_bits(i16::from(attributes) & defined);
        body.is_empty().then_some(Self {
            offset,
            size,
            crc,
            magic,
            attributes,
            timestamp,
            key,
            value,
        })
    }

    fn with_offset_shifted(self, by: i64) -> Self {
        Self {
            offset: self.offset.wrapping_add(by),
            ..self
        }
    }
}

/// Iterates over the messages of a decompressed set.
struct Messages<'a> {
    rest: &'a [u8],
    index: u32,
    magic: i8,
    base_offset: i64,
}

impl<'a> Iterator for Messages<'a> {
    type Item = Result<LegacyMessage<'a>, RecordsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let what = match LegacyMessage::parse(&mut self.rest) {
            None => DOES_NOT_FIT,
            Some(message) if message.magic != self.magic => "its magic is not that of its set",
            Some(message) if message.attributes.codec_id() != 0 => {
                "it is compressed within a compressed set"
            }
            Some(message) => {
                self.index += 1;
                return Some(Ok(message));
            }
        };
        self.rest = &[];
        Some(Err(RecordsError::BadRecord {
            base_offset: self.base_offset,
            index: self.index,
            what,
        }))
    }
}

/// Writes messages as the records of a batch, and describes them in its header.
fn transcode<'a>(
    outer: BatchHeader,
    messages: impl Iterator<Item = Result<LegacyMessage<'a>, RecordsError>>,
) -> Result<Batch, RecordsError> {
    let mut header = BatchHeader {
        record_count: 0,
        ..outer
    };
    let mut data = Vec::new();
    for message in messages {
        let message = message?;
        if header.record_count == 0 {
            (header.base_offset, header.base_timestamp) = (message.offset, message.timestamp);
        }
        let delta = message
            .offset
            .checked_sub(header.base_offset)
            .and_then(|delta| i32::try_from(delta).ok());
        let delta = delta
            .filter(|&delta| header.record_count == 0 || delta > header.last_offset_delta)
            .ok_or(RecordsError::BadRecord {
                base_offset: outer.base_offset,
                index: header.record_count.unsigned_abs(),
                what: "its offset is not behind that of the message ahead of it",
            })?;
        encode::push_record(
            &mut data,
            message.timestamp.wrapping_sub(header.base_timestamp),
            i64::from(delta),
            message.key,
            message.value,
            &[],
        );
        header.last_offset_delta = delta;
        header.record_count += 1;
        // With log-append time the outer message has the timestamp of all.
        if outer.attributes.timestamp_type() == TimestampType::CreateTime {
            header.max_timestamp = header.max_timestamp.max(message.timestamp);
        }
    }
    header.checked_next_offset()?;
    let marks = check_records(&header, &data)?;
    Ok(Batch::new(header, compression::trimmed(data).into(), marks))
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*bytes)
}

/// Takes bytes with their length before them; a negative length means null.
fn take_bytes<'a>(rest: &mut &'a [u8]) -> Option<Option<&'a [u8]>> {
    let length = i32::from_be_bytes(take(rest)?);
    let Ok(length) = usize::try_from(length) else {
        return Some(None);
    };
    let (bytes, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(Some(bytes))
}
