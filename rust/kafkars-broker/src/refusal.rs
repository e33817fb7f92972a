//! The reason why a request, or a part of one, is refused.

use kafkars_protocol::ErrorCode;

/// A refusal: the code, words for a person where the answer has a place for them, and the records that are to blame
/// (KIP-467).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedRequest {
    pub(crate) code: ErrorCode,
    pub(crate) message: Option<String>,
    pub(crate) records: Vec<(i32, String)>,
}

impl RefusedRequest {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: Some(message.into()),
            records: Vec::new(),
        }
    }

    /// INVALID_REQUEST with the reason in words.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// The words for a person: those of the refusal, or else the description of the code.
    pub(crate) fn into_message(self) -> String {
        self.message
            .unwrap_or_else(|| self.code.description().to_owned())
    }
}

/// Refuses with a code, and the reason in words.
pub(crate) fn refuse_with<T>(
    code: ErrorCode,
    reason: impl Into<String>,
) -> Result<T, RefusedRequest> {
    Err(RefusedRequest::new(code, reason))
}

/// The code and the words that an answer holds of an outcome: 0 and none where nothing was refused.
pub(crate) fn told(outcome: Result<(), RefusedRequest>) -> (i16, Option<String>) {
    match outcome {
        Ok(()) => (0, None),
        Err(refusal) => (refusal.code.code(), Some(refusal.into_message())),
    }
}

/// The code that an answer holds of an outcome: 0 where nothing was refused.
pub(crate) fn code_of<T>(outcome: &Result<T, ErrorCode>) -> i16 {
    outcome.as_ref().err().map_or(0, |code| code.code())
}

impl From<ErrorCode> for RefusedRequest {
    fn from(code: ErrorCode) -> Self {
        Self {
            code,
            message: None,
            records: Vec::new(),
        }
    }
}
