//! An append-only buffer that becomes a frame.

use bytes::{BufMut, Bytes, BytesMut};

use crate::frame::LENGTH_PREFIX;
use crate::varint::{unsigned_size, zigzag};
use crate::{EncodeError, EncodeErrorKind, Frame, Uuid};

/// Byte values of this size and more are not copied but become segments of their own; copying smaller ones is cheaper
/// than one more segment.
pub const SEGMENT_THRESHOLD: usize = 4096;

/// The first allocation: enough for most requests without records.
const INITIAL_CAPACITY: usize = 256;

/// Writes primitives into the segments of a frame.
///
/// Where a method takes `flexible`, true means the compact form (KIP-482). `field` is the name of the value in errors.
#[derive(Debug)]
pub struct Writer {
    /// Finished segments except the first.
    segments: Vec<Bytes>,
    /// The first segment, once there are others. It stays writable for the length prefix.
    head: Option<BytesMut>,
    buffer: BytesMut,
    length: usize,
    message: &'static str,
}

macro_rules! fixed_width {
    ($($name:ident: $type:ty),*) => {$(
        #[doc = concat!("A big-endian `", stringify!($type), "`.")]
        pub fn $name(&mut self, value: $type) {
            self.buffer.put_slice(&value.to_be_bytes());
        }
    )*};
}

impl Writer {
    /// Makes an empty writer.
    #[must_use]
    pub fn new() -> Self {
        Self::over("frame", BytesMut::with_capacity(INITIAL_CAPACITY))
    }

    /// Makes a writer with room for the length prefix, which [`Writer::finish_framed`] fills in.
    pub(crate) fn framed() -> Self {
        let mut writer = Self::new();
        writer.u32(0);
        writer
    }

    pub(crate) fn over(message: &'static str, buffer: BytesMut) -> Self {
        Self {
            segments: Vec::new(),
            head: None,
            buffer,
            length: 0,
            message,
        }
    }

    /// Bytes written so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length + self.buffer.len()
    }

    /// True if nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns what was written, as segments to be sent in order.
    #[must_use]
    pub fn finish(mut self) -> Frame {
        let mut segments = Vec::with_capacity(self.segments.len() + 2);
        segments.extend(self.head.take().map(BytesMut::freeze));
        segments.append(&mut self.segments);
        if !self.buffer.is_empty() {
            segments.push(self.buffer.freeze());
        }
        Frame::new(segments)
    }

    pub(crate) fn finish_framed(mut self) -> Result<Frame, EncodeError> {
        let length = self.len() - LENGTH_PREFIX;
        let prefix = i32::try_from(length).map_err(|_| self.too_long("", length))?;
        let first = self.head.as_mut().unwrap_or(&mut self.buffer);
        first[..LENGTH_PREFIX].copy_from_slice(&prefix.to_be_bytes());
        Ok(self.finish())
    }

    fixed_width!(i8: i8, u8: u8, i16: i16, u16: u16, i32: i32, u32: u32, i64: i64, f64: f64);

    /// Writes a boolean as one byte.
    pub fn bool(&mut self, value: bool) {
        self.u8(u8::from(value));
    }

    /// Writes a UUID of 16 bytes.
    pub fn uuid(&mut self, value: Uuid) {
        self.buffer.put_slice(&value.0);
    }

    /// Writes an unsigned varint, as compact lengths and tags are encoded.
    pub fn unsigned_varint(&mut self, value: u32) {
        self.unsigned_bits(u64::from(value));
    }

    /// Writes a zigzag varint.
    pub fn varint(&mut self, value: i32) {
        self.unsigned_bits(zigzag(i64::from(value)));
    }

    /// Writes a zigzag varint of up to 64 bits.
    pub fn varlong(&mut self, value: i64) {
        self.unsigned_bits(zigzag(value));
    }

    /// Writes a string.
    ///
    /// # Errors
    /// If it is too long for its length field.
    pub fn string(
        &mut self,
        flexible: bool,
        field: &'static str,
        value: &str,
    ) -> Result<(), EncodeError> {
        self.nullable_string(flexible, field, Some(value))
    }

    /// Writes a string or null.
    ///
    /// # Errors
    /// If it is too long for its length field.
    pub fn nullable_string(
        &mut self,
        flexible: bool,
        field: &'static str,
        value: Option<&str>,
    ) -> Result<(), EncodeError> {
        // Kafka limits compact strings to the length of the classic ones.
        let length = match value {
            Some(value) => {
                i16::try_from(value.len()).map_err(|_| self.too_long(field, value.len()))?
            }
            None => -1,
        };
        if flexible {
            self.unsigned_varint((i32::from(length) + 1) as u32);
        } else {
            self.i16(length);
        }
        self.buffer.put_slice(value.unwrap_or_default().as_bytes());
        Ok(())
    }

    /// Writes bytes or records; large ones are not copied.
    ///
    /// # Errors
    /// If they are too long for their length field.
    pub fn bytes(
        &mut self,
        flexible: bool,
        field: &'static str,
        value: &Bytes,
    ) -> Result<(), EncodeError> {
        self.nullable_bytes(flexible, field, Some(value))
    }

    /// Writes bytes or records or null; large ones are not copied.
    ///
    /// # Errors
    /// If they are too long for their length field.
    pub fn nullable_bytes(
        &mut self,
        flexible: bool,
        field: &'static str,
        value: Option<&Bytes>,
    ) -> Result<(), EncodeError> {
        self.array_len(flexible, field, value.map(Bytes::len))?;
        let Some(value) = value else { return Ok(()) };
        if value.len() < SEGMENT_THRESHOLD {
            self.buffer.put_slice(value);
            return Ok(());
        }
        let before = self.buffer.split();
        self.length += before.len() + value.len();
        if self.head.is_none() {
            self.head = Some(before);
        } else {
            self.segments.push(before.freeze());
        }
        self.segments.push(value.clone());
        Ok(())
    }

    /// Writes the count of an array, `None` for null.
    ///
    /// # Errors
    /// If it has more than 31 bits.
    pub fn array_len(
        &mut self,
        flexible: bool,
        field: &'static str,
        count: Option<usize>,
    ) -> Result<(), EncodeError> {
        let length = match count {
            Some(count) => i32::try_from(count).map_err(|_| self.too_long(field, count))?,
            None => -1,
        };
        if flexible {
            // The length plus one, which fits an unsigned 32-bit number.
            self.unsigned_varint(length.cast_unsigned().wrapping_add(1));
        } else {
            self.i32(length);
        }
        Ok(())
    }

    /// Ends a structure without tagged fields: nothing in classic versions, a zero in flexible ones.
    pub fn no_tags(&mut self, flexible: bool) {
        if flexible {
            self.u8(0);
        }
    }

    pub(crate) fn begin(&mut self, message: &'static str) {
        self.message = message;
    }

    /// Returns the value of a nullable field for a version in which it may not be null.
    pub(crate) fn required<'a, T>(
        &self,
        version: i16,
        field: &'static str,
        value: &'a Option<T>,
    ) -> Result<&'a T, EncodeError> {
        value
            .as_ref()
            .ok_or_else(|| self.error(field, EncodeErrorKind::NullNotAllowed(version)))
    }

    /// The error about a field that has a value, is not ignorable, and does not exist in this version.
    #[cold]
    pub(crate) fn absent(&self, version: i16, field: &'static str) -> EncodeError {
        self.error(field, EncodeErrorKind::FieldNotInVersion(version))
    }

    /// Makes an empty writer for a part whose size must be known before it is written.
    pub(crate) fn aside(&self) -> Self {
        Self::over(self.message, BytesMut::new())
    }

    pub(crate) fn append(&mut self, other: Self) {
        for segment in other.finish().into_segments() {
            self.buffer.put_slice(&segment);
        }
    }

    fn unsigned_bits(&mut self, mut value: u64) {
        let mut bytes = [0u8; 10];
        let size = unsigned_size(value);
        for byte in &mut bytes[..size] {
            *byte = (value & 0x7f) as u8 | 0x80;
            value >>= 7;
        }
        bytes[size - 1] &= 0x7f;
        self.buffer.put_slice(&bytes[..size]);
    }

    #[cold]
    fn too_long(&self, field: &'static str, length: usize) -> EncodeError {
        self.error(field, EncodeErrorKind::TooLong(length))
    }

    pub(crate) fn error(&self, field: &'static str, kind: EncodeErrorKind) -> EncodeError {
        EncodeError {
            message: self.message,
            field,
            kind,
        }
    }
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}
