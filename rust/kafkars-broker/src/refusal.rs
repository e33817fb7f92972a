//! Why a request, or a part of one, comes to nothing.

use kafkars_protocol::ErrorCode;

/// The code, words for a person where the answer has a place for them, and the records that are to blame (KIP-467).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: Option<String>,
    pub(crate) records: Vec<(i32, String)>,
}

impl Refusal {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: Some(message.into()),
            records: Vec::new(),
        }
    }

    pub(crate) fn invalid(message: &str) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// What to tell a person.
    pub(crate) fn into_message(self) -> String {
        self.message
            .unwrap_or_else(|| self.code.description().to_owned())
    }
}

impl From<ErrorCode> for Refusal {
    fn from(code: ErrorCode) -> Self {
        Self {
            code,
            message: None,
            records: Vec::new(),
        }
    }
}
