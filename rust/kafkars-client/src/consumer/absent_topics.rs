//! Errors of topics that do not exist, for libraries that read on without a word to the application.

use std::collections::HashSet;
use std::sync::Arc;

use kafkars_core::fetch::error::FetchError;

/// Who passes such errors over, and those that were told to the log.
#[derive(Debug, Default)]
pub(super) struct AbsentTopics {
    /// The name of the client, if such errors are passed over.
    pub(super) passed_over_by: Option<Arc<str>>,
    told: HashSet<Arc<str>>,
}

impl AbsentTopics {
    /// Notes that all assigned topics exist: those that go from now on are told.
    pub(super) fn are_back(&mut self) {
        self.told.clear();
    }

    /// True if the error is not for the application.
    pub(super) fn pass_over(&mut self, error: &FetchError) -> bool {
        let FetchError::Topic { topic, code } = error else {
            return false;
        };
        if !code.unknown_topic() {
            return false;
        }
        let Some(client) = &self.passed_over_by else {
            return false;
        };
        if self.told.insert(Arc::clone(topic)) {
            tracing::warn!(target: "kafkars::consumer", %client, %topic, "an assigned topic does not exist; it is read once it is made");
        }
        true
    }
}
