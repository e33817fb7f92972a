//! Errors of readers that arise in several places.

use std::sync::Arc;

use kafkars_core::fetch::error::FetchError;

use crate::error::ClientError;

/// A call that does not fit what the consumer was told before.
pub(super) fn invalid(problem: impl Into<Arc<str>>) -> FetchError {
    FetchError::State {
        problem: problem.into(),
    }
}

/// A cluster that cannot be reached, as readers see it.
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
