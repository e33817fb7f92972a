//! What can go wrong between bytes and messages.

use std::fmt;

/// Bytes that are not the message they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// Kafka's name of the message, such as `FetchResponse`.
    pub message: &'static str,
    /// Kafka's name of the field, such as `ThrottleTimeMs`; empty when no single field is at fault.
    pub field: &'static str,
    /// Where in the frame (without its length prefix) the field starts.
    pub offset: usize,
    /// What is wrong.
    pub kind: DecodeErrorKind,
}

/// The ways in which bytes can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeErrorKind {
    /// The frame ends before the field does.
    Truncated {
        /// Bytes the field needs.
        needed: usize,
        /// Bytes that are left.
        remaining: usize,
    },
    /// A length or count that is negative where null has no place.
    NegativeLength(i64),
    /// A null where this version does not allow one.
    UnexpectedNull,
    /// More elements than the bytes that are left could hold.
    TooManyElements {
        /// The count on the wire.
        count: u64,
        /// Bytes that are left.
        remaining: usize,
    },
    /// Holding the message would take far more memory than its bytes justify.
    AllocationLimit {
        /// Bytes to allocate for this field.
        needed: usize,
        /// What is left of the frame's allowance.
        allowed: usize,
    },
    /// A variable-length integer with more bits than its type.
    VarintOverflow,
    /// A string that is not UTF-8.
    InvalidUtf8,
    /// A known tagged field whose content does not end where its size says.
    TagSizeMismatch {
        /// Bytes announced.
        announced: usize,
        /// Bytes its content takes.
        used: usize,
    },
    /// A message version that this crate does not speak.
    UnsupportedVersion(i16),
    /// A request for an API that this crate does not speak.
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

/// A message that has no form on the wire in the version asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// Kafka's name of the message.
    pub message: &'static str,
    /// Kafka's name of the field; empty when no single field is at fault.
    pub field: &'static str,
    /// What is wrong.
    pub kind: EncodeErrorKind,
}

/// The reasons for which a message cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeErrorKind {
    /// A message version that this crate does not speak.
    UnsupportedVersion(i16),
    /// The field carries a value, matters to the receiver, and does not exist in this version.
    FieldNotInVersion(i16),
    /// The field is null and this version does not allow that.
    NullNotAllowed(i16),
    /// A string, array, bytes or frame longer than its length field can say.
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
