//! A bounded cursor over the bytes of one frame.

use bytes::Bytes;

use crate::varint::unzigzag;
use crate::{DecodeError, DecodeErrorKind, Uuid, text};

/// Bytes of memory that a decoded message may take for each byte of its frame. Kafka's widest common structures stay
/// below; a false count of a corrupt or malicious peer does not.
const ALLOWANCE_FACTOR: usize = 8;
/// Bytes of memory granted to every frame, so that small messages with many short strings fit.
const ALLOWANCE_BASE: usize = 1024;

/// Reads primitives from a frame, and keeps account of the memory that was allocated for it.
///
/// The size of every vector and string is deducted from an allowance of eight times the frame before it is allocated,
/// so no input can make decoding take more. Byte fields are slices of the frame and cost nothing.
///
/// Where a method takes `flexible`, true means the compact form (KIP-482). `field` is the name of the value in errors.
#[derive(Debug)]
pub struct Reader {
    frame: Bytes,
    position: usize,
    allowance: usize,
    message: &'static str,
}

macro_rules! fixed_width {
    ($($name:ident: $type:ty),*) => {$(
        #[doc = concat!("A big-endian `", stringify!($type), "`.")]
        ///
        /// # Errors
        /// When the frame ends first.
        pub fn $name(&mut self, field: &'static str) -> Result<$type, DecodeError> {
            self.array_of_bytes(field).map(<$type>::from_be_bytes)
        }
    )*};
}

impl Reader {
    /// Makes a reader at the first byte of `frame`, which has no length prefix.
    #[must_use]
    pub fn new(frame: Bytes) -> Self {
        let allowance = frame
            .len()
            .saturating_mul(ALLOWANCE_FACTOR)
            .saturating_add(ALLOWANCE_BASE);
        Self {
            frame,
            position: 0,
            allowance,
            message: "frame",
        }
    }

    /// Bytes not read yet.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.frame.len() - self.position
    }

    /// Bytes read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    fixed_width!(i8: i8, u8: u8, i16: i16, u16: u16, i32: i32, u32: u32, i64: i64, f64: f64);

    /// Reads a byte; everything but 0 is true, as for Kafka.
    ///
    /// # Errors
    /// If the frame ends first.
    pub fn bool(&mut self, field: &'static str) -> Result<bool, DecodeError> {
        self.u8(field).map(|byte| byte != 0)
    }

    /// Reads a UUID of 16 bytes.
    ///
    /// # Errors
    /// If the frame ends first.
    pub fn uuid(&mut self, field: &'static str) -> Result<Uuid, DecodeError> {
        self.array_of_bytes(field).map(Uuid)
    }

    /// Reads an unsigned varint, as compact lengths and tags are encoded.
    ///
    /// # Errors
    /// If the frame ends first, or the value has more than 32 bits.
    pub fn unsigned_varint(&mut self, field: &'static str) -> Result<u32, DecodeError> {
        let start = self.position;
        let value = self.unsigned_bits(5, field)?;
        u32::try_from(value)
            .map_err(|_| self.error_at(start, field, DecodeErrorKind::VarintOverflow))
    }

    /// Reads a zigzag varint.
    ///
    /// # Errors
    /// If the frame ends first, or the value has more than 32 bits.
    pub fn varint(&mut self, field: &'static str) -> Result<i32, DecodeError> {
        self.unsigned_varint(field)
            .map(|bits| unzigzag(u64::from(bits)) as i32)
    }

    /// Reads a zigzag varint of up to 64 bits.
    ///
    /// # Errors
    /// If the frame ends first, or the value has more than 64 bits.
    pub fn varlong(&mut self, field: &'static str) -> Result<i64, DecodeError> {
        self.unsigned_bits(10, field).map(unzigzag)
    }

    /// Reads a string that may not be null.
    ///
    /// # Errors
    /// On null, a bad length, bytes that are not UTF-8, or an exhausted allowance.
    pub fn string(&mut self, flexible: bool, field: &'static str) -> Result<String, DecodeError> {
        let start = self.position;
        self.nullable_string(flexible, field)?
            .ok_or_else(|| self.error_at(start, field, DecodeErrorKind::UnexpectedNull))
    }

    /// Reads a string that only people read, or null: control characters are escaped, and a long text is cut.
    ///
    /// # Errors
    /// As [`Reader::nullable_string`].
    pub fn nullable_message(
        &mut self,
        flexible: bool,
        field: &'static str,
    ) -> Result<Option<String>, DecodeError> {
        let text = self.nullable_string(flexible, field)?;
        Ok(text.map(|text| text::message(&text)))
    }

    /// Reads a string or null.
    ///
    /// # Errors
    /// On a bad length, bytes that are not UTF-8, or an exhausted allowance.
    pub fn nullable_string(
        &mut self,
        flexible: bool,
        field: &'static str,
    ) -> Result<Option<String>, DecodeError> {
        let length = if flexible {
            self.compact_length(field)?
        } else {
            let start = self.position;
            let length = self.i16(field)?;
            self.classic_length(i32::from(length), start, field)?
        };
        let Some(length) = length else {
            return Ok(None);
        };
        self.charge(length, field)?;
        let start = self.position;
        let text = std::str::from_utf8(self.take(length, field)?).map(str::to_owned);
        text.map(Some)
            .map_err(|_| self.error_at(start, field, DecodeErrorKind::InvalidUtf8))
    }

    /// Reads bytes or records that may not be null, as a slice of the frame.
    ///
    /// # Errors
    /// On null or a bad length.
    pub fn bytes(&mut self, flexible: bool, field: &'static str) -> Result<Bytes, DecodeError> {
        let start = self.position;
        self.nullable_bytes(flexible, field)?
            .ok_or_else(|| self.error_at(start, field, DecodeErrorKind::UnexpectedNull))
    }

    /// Reads bytes or records or null, as a slice of the frame.
    ///
    /// # Errors
    /// On a bad length.
    pub fn nullable_bytes(
        &mut self,
        flexible: bool,
        field: &'static str,
    ) -> Result<Option<Bytes>, DecodeError> {
        let Some(length) = self.length(flexible, field)? else {
            return Ok(None);
        };
        self.require(length, field)?;
        let start = self.position;
        self.position += length;
        Ok(Some(self.frame.slice(start..self.position)))
    }

    /// Reads the count of an array, `None` for null. The count is at most what the remaining bytes can hold if each
    /// element takes at least `minimum_size` of them.
    ///
    /// # Errors
    /// On a count that is negative or impossible.
    pub fn array_len(
        &mut self,
        flexible: bool,
        minimum_size: usize,
        field: &'static str,
    ) -> Result<Option<usize>, DecodeError> {
        let start = self.position;
        let Some(count) = self.length(flexible, field)? else {
            return Ok(None);
        };
        let remaining = self.remaining();
        if count > remaining / minimum_size.max(1) {
            let kind = DecodeErrorKind::TooManyElements {
                count: count as u64,
                remaining,
            };
            return Err(self.error_at(start, field, kind));
        }
        Ok(Some(count))
    }

    /// Reads the tagged fields at the end of a structure. `known` reads the content of a tag and returns true; if it
    /// returns false, without reading, the content is skipped.
    ///
    /// # Errors
    /// On bytes that are not tagged fields, and on an error of `known`.
    pub fn tagged_fields(
        &mut self,
        mut known: impl FnMut(&mut Self, u32) -> Result<bool, DecodeError>,
    ) -> Result<(), DecodeError> {
        const FIELD: &str = "tagged fields";
        // Each field takes at least a tag and a size, so a false count ends with the frame and needs no check.
        for _ in 0..self.unsigned_varint(FIELD)? {
            let tag = self.unsigned_varint(FIELD)?;
            let announced = self.unsigned_varint(FIELD)? as usize;
            self.require(announced, FIELD)?;
            let start = self.position;
            if !known(self, tag)? {
                self.position = start + announced;
                continue;
            }
            let used = self.position - start;
            if used != announced {
                let kind = DecodeErrorKind::TagSizeMismatch { announced, used };
                return Err(self.error_at(start, FIELD, kind));
            }
        }
        Ok(())
    }

    /// Makes an error about this message at the current position.
    #[must_use]
    pub fn error(&self, field: &'static str, kind: DecodeErrorKind) -> DecodeError {
        self.error_at(self.position, field, kind)
    }

    pub(crate) fn begin(&mut self, message: &'static str) {
        self.message = message;
    }

    fn length(
        &mut self,
        flexible: bool,
        field: &'static str,
    ) -> Result<Option<usize>, DecodeError> {
        if flexible {
            return self.compact_length(field);
        }
        let start = self.position;
        let length = self.i32(field)?;
        self.classic_length(length, start, field)
    }

    /// A compact length is the length plus one, and 0 for null.
    fn compact_length(&mut self, field: &'static str) -> Result<Option<usize>, DecodeError> {
        Ok(self
            .unsigned_varint(field)?
            .checked_sub(1)
            .map(|length| length as usize))
    }

    fn classic_length(
        &self,
        length: i32,
        start: usize,
        field: &'static str,
    ) -> Result<Option<usize>, DecodeError> {
        match usize::try_from(length) {
            Ok(length) => Ok(Some(length)),
            Err(_) if length == -1 => Ok(None),
            Err(_) => {
                let kind = DecodeErrorKind::NegativeLength(i64::from(length));
                Err(self.error_at(start, field, kind))
            }
        }
    }

    fn unsigned_bits(
        &mut self,
        maximum_bytes: u32,
        field: &'static str,
    ) -> Result<u64, DecodeError> {
        let start = self.position;
        let mut value = 0u64;
        for index in 0..maximum_bytes {
            let byte = self.u8(field)?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit only.
            if index == 9 && bits > 1 {
                break;
            }
            value |= bits << (7 * index);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.error_at(start, field, DecodeErrorKind::VarintOverflow))
    }

    fn array_of_bytes<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<[u8; N], DecodeError> {
        match self.frame[self.position..].first_chunk::<N>() {
            Some(bytes) => {
                self.position += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(N, field)),
        }
    }

    fn take(&mut self, length: usize, field: &'static str) -> Result<&[u8], DecodeError> {
        self.require(length, field)?;
        let start = self.position;
        self.position += length;
        Ok(&self.frame[start..self.position])
    }

    fn require(&self, length: usize, field: &'static str) -> Result<(), DecodeError> {
        if length > self.remaining() {
            return Err(self.truncated(length, field));
        }
        Ok(())
    }

    /// Deducts memory from the frame's allowance before it is allocated.
    pub(crate) fn charge(&mut self, needed: usize, field: &'static str) -> Result<(), DecodeError> {
        let allowed = self.allowance;
        match allowed.checked_sub(needed) {
            Some(rest) => {
                self.allowance = rest;
                Ok(())
            }
            None => Err(self.error(field, DecodeErrorKind::AllocationLimit { needed, allowed })),
        }
    }

    #[cold]
    fn truncated(&self, needed: usize, field: &'static str) -> DecodeError {
        let remaining = self.remaining();
        self.error(field, DecodeErrorKind::Truncated { needed, remaining })
    }

    #[cold]
    pub(crate) fn error_at(
        &self,
        offset: usize,
        field: &'static str,
        kind: DecodeErrorKind,
    ) -> DecodeError {
        DecodeError {
            message: self.message,
            field,
            offset,
            kind,
        }
    }
}
