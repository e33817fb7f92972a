//! Commits whose outcome nobody gets: failures are logged, once for each change of cause.

use std::sync::Arc;

use kafkars_core::group::{CommitError, CommitOutcome};

/// The state of such commits of one consumer.
pub(super) struct UnheardCommits {
    /// What log lines call the client.
    client: Arc<str>,
    /// Why they fail at the moment, and how many have failed so far.
    trouble: Option<(String, u64)>,
}

impl UnheardCommits {
    /// Makes the state of a consumer all of whose commits have succeeded.
    pub(super) fn new(client: &Arc<str>) -> Self {
        Self {
            client: Arc::clone(client),
            trouble: None,
        }
    }

    /// Notes the outcome of a commit; `is_unheard` is true if nobody else gets it.
    pub(super) fn note(&mut self, group: &str, outcome: &CommitOutcome, is_unheard: bool) {
        match &outcome.result {
            Ok(()) => self.succeeded(group, outcome),
            Err(error) if is_unheard => self.failed(group, outcome.is_automatic, error),
            Err(_) => {}
        }
    }

    fn succeeded(&mut self, group: &str, outcome: &CommitOutcome) {
        // A commit without offsets proves nothing.
        if outcome.offsets.is_empty() {
            return;
        }
        if let Some((_, failed)) = self.trouble.take() {
            tracing::info!(target: "kafkars::group", client = %self.client, group, failed, "commits succeed again");
        }
    }

    /// Notes a failure that nobody else gets.
    pub(super) fn failed(&mut self, group: &str, is_automatic: bool, error: &CommitError) {
        if let Some(cause) = lasting_cause(error) {
            let (known, failed) = self.trouble.get_or_insert_default();
            *failed += 1;
            if *known == cause {
                return;
            }
            *known = cause;
        }
        tell(&self.client, group, is_automatic, error);
    }
}

/// Logs one failure.
pub(super) fn tell(client: &str, group: &str, is_automatic: bool, error: &CommitError) {
    match is_automatic {
        true => {
            tracing::warn!(target: "kafkars::group", client, group, %error, "an automatic commit failed");
        }
        false => {
            tracing::warn!(target: "kafkars::group", client, group, %error, "a commit that nobody waits for failed");
        }
    }
}

/// The cause for which commits fail until something changes; none if each failure is an event of its own.
fn lasting_cause(error: &CommitError) -> Option<String> {
    match error {
        CommitError::TimedOut { .. } => Some("timed out".to_owned()),
        CommitError::Refused { code, .. } => Some(code.name().to_owned()),
        CommitError::NotMember { .. }
        | CommitError::Ended(_)
        | CommitError::TooMany { .. }
        | CommitError::Security(_)
        | CommitError::Fenced { .. }
        | CommitError::NotOwned { .. }
        | CommitError::Failed { .. } => Some(error.to_string()),
        CommitError::InvalidOffset { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use kafkars_core::group::CommitError;

    use super::UnheardCommits;

    #[test]
    fn each_change_of_cause_counts_from_the_first() {
        let mut unheard = UnheardCommits::new(&"tests".into());
        for limit in [1, 1, 2, 2, 2] {
            unheard.failed("g", true, &CommitError::TooMany { limit });
        }
        let (cause, failed) = unheard.trouble.clone().unwrap_or_default();
        assert!(cause.starts_with("2 commits wait"), "{cause}");
        assert_eq!(failed, 5);
    }
}
