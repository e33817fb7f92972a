//! Why a request about a group comes to nothing.

use kafkars_protocol::ErrorCode;

/// The code, and words for a person where the answer has a place for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) code: ErrorCode,
    pub(crate) message: Option<String>,
}

impl Refused {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: Some(message.into()),
        }
    }

    pub(crate) fn invalid(message: &str) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }
}

impl From<ErrorCode> for Refused {
    fn from(code: ErrorCode) -> Self {
        Self {
            code,
            message: None,
        }
    }
}
