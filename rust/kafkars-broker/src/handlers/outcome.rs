//! The outcome of a request, and the end of a connection.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;

use bytes::Bytes;
use kafkars_protocol::{DecodeError, EncodeError, Frame, FrameError};

/// The outcome of a request, as its connection carries it out.
pub(crate) enum HandlerOutcome {
    Reply(Frame),
    /// Bytes that are no proper frame, on purpose, and whether the connection is closed behind them.
    Damaged {
        segments: Vec<Bytes>,
        cut: bool,
    },
    /// The answer, if one is due, and how long the connection is not read from behind it, in ms (KIP-219).
    Throttled {
        frame: Option<Frame>,
        pause_ms: i32,
    },
    /// No answer is due: acks=0, or a request dropped on purpose.
    Silence,
    Disconnect,
    /// The answer takes time: a long poll, or a delay on purpose.
    Later(Later),
}

/// An outcome that takes time. It never is `HandlerOutcome::Later` itself.
pub(crate) type Later = Pin<Box<dyn Future<Output = Result<HandlerOutcome, ConnectionEnd>> + Send>>;

/// The reason why a connection ended.
#[derive(Debug)]
pub(crate) enum ConnectionEnd {
    /// The client closed it.
    Closed,
    /// The client said nothing for too long.
    Idle,
    /// A request asked for it: acks=0 with an error, an unsupported version, or a fault on purpose.
    Cut,
    /// The node stopped, or all its connections were cut.
    Ordered,
    Io(io::Error),
    /// The client took too long to agree on keys, or to log in.
    Stalled,
    /// The login failed.
    Refused,
    /// No keys were agreed on.
    Handshake(io::Error),
    Frame(FrameError),
    Garbage(DecodeError),
    Unanswerable(EncodeError),
}

impl fmt::Display for ConnectionEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => formatter.write_str("the client closed it"),
            Self::Idle => formatter.write_str("the client said nothing for too long"),
            Self::Cut => formatter.write_str("it was cut"),
            Self::Ordered => formatter.write_str("its node stopped or cut its connections"),
            Self::Stalled => formatter.write_str("the client took too long to log in"),
            Self::Refused => formatter.write_str("the login failed"),
            Self::Handshake(error) => write!(formatter, "the TLS handshake failed: {error}"),
            Self::Io(error) => write!(formatter, "{error}"),
            Self::Frame(error) => write!(formatter, "{error}"),
            Self::Garbage(error) => write!(formatter, "{error}"),
            Self::Unanswerable(error) => write!(formatter, "{error}"),
        }
    }
}

impl From<DecodeError> for ConnectionEnd {
    fn from(error: DecodeError) -> Self {
        Self::Garbage(error)
    }
}

impl From<EncodeError> for ConnectionEnd {
    fn from(error: EncodeError) -> Self {
        Self::Unanswerable(error)
    }
}
