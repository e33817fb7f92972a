//! Errors that several files of the consumer raise.

use std::sync::Arc;

use kafkars_core::fetch::error::FetchError;

use crate::error::ClientError;

/// The error of a call that the state of the consumer does not allow.
pub(super) fn invalid(problem: impl Into<Arc<str>>) -> FetchError {
    FetchError::State {
        problem: problem.into(),
    }
}

/// The error of a consumer whose cluster cannot be reached.
pub(super) fn unreachable(operation: &'static str, error: &ClientError) -> FetchError {
    if let Some(failure) = error.security() {
        return FetchError::Security(failure);
    }
    match error.bootstrap_causes() {
        Some(causes) => FetchError::Bootstrap { causes },
        None => FetchError::Failed {
            operation,
            cause: error.to_string().into(),
        },
    }
}
