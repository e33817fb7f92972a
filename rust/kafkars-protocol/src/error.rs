//! Errors of decoding and encoding messages.

use std::fmt;

/// Bytes that cannot be decoded as the expected message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The message's name in Kafka's schemas, such as `FetchResponse`.
    pub message: &'static str,
    /// The field's name in Kafka's schemas, such as `ThrottleTimeMs`; empty if no single field is at fault.
    pub field: &'static str,
    /// The offset of the field in the frame (without its length prefix).
    pub offset: usize,
    /// What is wrong.
    pub kind: DecodeErrorKind,
}

/// What is wrong with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeErrorKind {
    /// The frame ends before the field does.
    Truncated {
        /// Bytes the field needs.
        needed: usize,
        /// Bytes that are left.
        remaining: usize,
    },
    /// A length or count that is negative although null is not allowed.
    NegativeLength(i64),
    /// A null that this version does not allow.
    UnexpectedNull,
    /// More elements than the remaining bytes could hold.
    TooManyElements {
        /// The count on the wire.
        count: u64,
        /// Bytes that are left.
        remaining: usize,
    },
    /// Decoding would take far more memory than the bytes justify.
    AllocationLimit {
        /// Bytes to allocate for this field.
        needed: usize,
        /// What is left of the frame's memory allowance.
        allowed: usize,
    },
    /// A variable-length integer with more bits than its type.
    VarintOverflow,
    /// A string that is not UTF-8.
    InvalidUtf8,
    /// A known tagged field whose content does not end where its size says.
    TagSizeMismatch {
        /// The size on the wire.
        announced: usize,
        /// The bytes that the content takes.
        used: usize,
    },
    /// A version of the message that this crate does not support.
    UnsupportedVersion(i16),
    /// A request for an API that this crate does not support.
    UnknownApiKey(i16),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot decode {}", self.message)?;
        if !self.field.is_empty() {
            write!(formatter, ", field {}", self.field)?;
        }
        write!(formatter, ", at byte {}: {}", self.offset, self.kind)
    }
}

impl std::error::Error for DecodeError {}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, remaining } => {
                write!(
                    formatter,
                    "{needed} bytes are needed and {remaining} are left"
                )
            }
            Self::NegativeLength(length) => write!(formatter, "the length is {length}"),
            Self::UnexpectedNull => formatter.write_str("null is not allowed here"),
            Self::TooManyElements { count, remaining } => {
                write!(
                    formatter,
                    "{count} elements cannot fit in the {remaining} bytes left"
                )
            }
            Self::AllocationLimit { needed, allowed } => write!(
                formatter,
                "it would take {needed} bytes of memory where its frame justifies {allowed}"
            ),
            Self::VarintOverflow => formatter.write_str("a variable-length integer is too long"),
            Self::InvalidUtf8 => formatter.write_str("the string is not UTF-8"),
            Self::TagSizeMismatch { announced, used } => {
                write!(
                    formatter,
                    "the tagged field announces {announced} bytes and uses {used}"
                )
            }
            Self::UnsupportedVersion(version) => write!(formatter, "unsupported version {version}"),
            Self::UnknownApiKey(key) => write!(formatter, "unknown API key {key}"),
        }
    }
}

/// A message that cannot be encoded in the requested version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// The message's name in Kafka's schemas.
    pub message: &'static str,
    /// The field's name in Kafka's schemas; empty if no single field is at fault.
    pub field: &'static str,
    /// What is wrong.
    pub kind: EncodeErrorKind,
}

/// Why a message cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeErrorKind {
    /// A version of the message that this crate does not support.
    UnsupportedVersion(i16),
    /// The field has a value, is not ignorable, and does not exist in this version.
    FieldNotInVersion(i16),
    /// The field is null, which this version does not allow.
    NullNotAllowed(i16),
    /// A string, an array, bytes or a frame too long for its length field.
    TooLong(usize),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cannot encode {}", self.message)?;
        if !self.field.is_empty() {
            write!(formatter, ", field {}", self.field)?;
        }
        match self.kind {
            EncodeErrorKind::UnsupportedVersion(version) => {
                write!(formatter, ": unsupported version {version}")
            }
            EncodeErrorKind::FieldNotInVersion(version) => {
                write!(formatter, ": version {version} does not have this field")
            }
            EncodeErrorKind::NullNotAllowed(version) => {
                write!(formatter, ": version {version} does not allow null here")
            }
            EncodeErrorKind::TooLong(length) => write!(formatter, ": {length} is too long"),
        }
    }
}

impl std::error::Error for EncodeError {}
