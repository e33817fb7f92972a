//! Frames: their length prefix, its limit, and the bytes to send.

use std::fmt;

use bytes::{Bytes, BytesMut};

/// Length of the length prefix of a frame.
pub const LENGTH_PREFIX: usize = 4;

/// The shortest frame: it has at least a correlation id.
const SHORTEST_FRAME: usize = 4;

/// A frame to send: segments to be written to a socket in order.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    segments: Vec<Bytes>,
    len: usize,
}

impl Frame {
    pub(crate) fn new(segments: Vec<Bytes>) -> Self {
        let len = segments.iter().map(Bytes::len).sum();
        Self { segments, len }
    }

    /// Makes a frame of bytes without any header: a SASL message after version 0 of SaslHandshake. `None` if they are
    /// too many for the length prefix.
    #[must_use]
    pub fn of_token(token: Bytes) -> Option<Self> {
        let length = i32::try_from(token.len()).ok()?;
        let prefix = Bytes::copy_from_slice(&length.to_be_bytes());
        Some(Self::new(vec![prefix, token]))
    }

    /// The segments, in order.
    #[must_use]
    pub fn segments(&self) -> &[Bytes] {
        &self.segments
    }

    /// The segments, in order.
    #[must_use]
    pub fn into_segments(self) -> Vec<Bytes> {
        self.segments
    }

    /// Length of all segments in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All segments as one buffer. Copies if there are several, so it is for tests and for messages that are put inside
    /// bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        if let [segment] = self.segments.as_slice() {
            return segment.clone();
        }
        let mut all = BytesMut::with_capacity(self.len);
        for segment in &self.segments {
            all.extend_from_slice(segment);
        }
        all.freeze()
    }
}

/// Limits of the length of a frame from a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameLimit {
    shortest: usize,
    longest: usize,
}

impl FrameLimit {
    /// Accepts frames of up to `maximum` bytes after the length prefix.
    #[must_use]
    pub const fn new(maximum: usize) -> Self {
        Self {
            shortest: SHORTEST_FRAME,
            longest: maximum,
        }
    }

    /// The limits for tokens, which have no correlation id and may be empty.
    #[must_use]
    pub const fn of_tokens(self) -> Self {
        Self {
            shortest: 0,
            longest: self.longest,
        }
    }

    /// Reads a length prefix.
    ///
    /// # Errors
    /// If the length is not within the limits. Other protocols are recognised by their first bytes only if these would
    /// be an impossible length, so no frame is mistaken for one of theirs.
    pub fn parse(self, prefix: [u8; LENGTH_PREFIX]) -> Result<usize, FrameError> {
        let length = i32::from_be_bytes(prefix);
        let Ok(size) = usize::try_from(length) else {
            return Err(FrameError::Negative(length));
        };
        if size < self.shortest {
            return Err(FrameError::TooShort(size));
        }
        if size <= self.longest {
            return Ok(size);
        }
        Err(match ForeignProtocol::recognise(prefix) {
            Some(protocol) => FrameError::NotKafka(protocol),
            None => FrameError::TooLong {
                length: size,
                limit: self.longest,
            },
        })
    }
}

/// A length prefix that cannot start a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// The length is negative.
    Negative(i32),
    /// The length is too short for a correlation id.
    TooShort(usize),
    /// The length is above the limit.
    TooLong {
        /// The length in the prefix.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// The peer speaks another protocol.
    NotKafka(ForeignProtocol),
}

impl fmt::Display for FrameError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Negative(length) => write!(formatter, "the frame length is {length}"),
            Self::TooShort(length) => write!(formatter, "a frame of {length} bytes is too short"),
            Self::TooLong { length, limit } => {
                write!(
                    formatter,
                    "a frame of {length} bytes is above the limit of {limit}"
                )
            }
            Self::NotKafka(protocol) => {
                write!(formatter, "the port speaks {protocol}, not plain Kafka")
            }
        }
    }
}

impl std::error::Error for FrameError {}

/// Protocols of other servers that Kafka clients are pointed at by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignProtocol {
    /// TLS: a listener answers plain bytes with an alert.
    Tls,
    /// HTTP: a web server answers with a status line, or a browser sends a request.
    Http,
    /// SSH, whose server sends its version first.
    Ssh,
}

impl ForeignProtocol {
    fn recognise(prefix: [u8; LENGTH_PREFIX]) -> Option<Self> {
        match &prefix {
            // Record types 20 to 23 followed by version 3.x.
            [0x14..=0x17, 0x03, 0x00..=0x04, _] => Some(Self::Tls),
            b"HTTP" | b"GET " | b"POST" | b"PUT " | b"HEAD" | b"OPTI" | b"PRI " => Some(Self::Http),
            b"SSH-" => Some(Self::Ssh),
            _ => None,
        }
    }
}

impl fmt::Display for ForeignProtocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Tls => "TLS",
            Self::Http => "HTTP",
            Self::Ssh => "SSH",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: FrameLimit = FrameLimit::new(100_000_000);

    #[test]
    fn a_length_within_the_limit_is_accepted() {
        assert_eq!(LIMIT.parse(4i32.to_be_bytes()), Ok(4));
        assert_eq!(LIMIT.parse(100_000_000i32.to_be_bytes()), Ok(100_000_000));
    }

    #[test]
    fn lengths_that_no_frame_has_are_errors() {
        assert_eq!(
            LIMIT.parse((-1i32).to_be_bytes()),
            Err(FrameError::Negative(-1))
        );
        assert_eq!(
            LIMIT.parse([0x80, 0, 0, 0]),
            Err(FrameError::Negative(i32::MIN))
        );
        for length in 0..4 {
            assert_eq!(
                LIMIT.parse([0, 0, 0, length]),
                Err(FrameError::TooShort(length.into()))
            );
        }
        let length = 100_000_001;
        assert_eq!(
            LIMIT.parse((length as i32).to_be_bytes()),
            Err(FrameError::TooLong {
                length,
                limit: 100_000_000
            })
        );
    }

    #[test]
    fn other_protocols_are_named() {
        let tls = Err(FrameError::NotKafka(ForeignProtocol::Tls));
        assert_eq!(LIMIT.parse([0x15, 3, 3, 0]), tls);
        assert_eq!(LIMIT.parse([0x16, 3, 1, 2]), tls);
        assert_eq!(
            LIMIT.parse(*b"HTTP"),
            Err(FrameError::NotKafka(ForeignProtocol::Http))
        );
        assert_eq!(
            LIMIT.parse(*b"GET "),
            Err(FrameError::NotKafka(ForeignProtocol::Http))
        );
        assert_eq!(
            LIMIT.parse(*b"SSH-"),
            Err(FrameError::NotKafka(ForeignProtocol::Ssh))
        );
    }

    #[test]
    fn a_frame_that_large_is_no_tls_alert_when_the_limit_allows_it() {
        assert_eq!(
            FrameLimit::new(i32::MAX as usize).parse([0x15, 3, 3, 0]),
            Ok(0x1503_0300)
        );
    }
}
