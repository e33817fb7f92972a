//! Commits whose outcome nobody waits for: the log tells of them, once for each change.

use kafkars_core::group::{CommitError, CommitOutcome};

/// How the commits of one consumer go that nobody waits for.
#[derive(Default)]
pub(super) struct UnheardCommits {
    /// What keeps them from success, and how many have failed because of it.
    trouble: Option<(String, u64)>,
}

impl UnheardCommits {
    /// Notes what came of a commit; `is_unheard` tells that nobody else hears of it.
    pub(super) fn note(&mut self, group: &str, outcome: &CommitOutcome, is_unheard: bool) {
        match &outcome.result {
            Ok(()) => self.succeeded(group, outcome),
            Err(error) if is_unheard => self.failed(group, outcome.is_automatic, error),
            Err(_) => {}
        }
    }

    fn succeeded(&mut self, group: &str, outcome: &CommitOutcome) {
        // A commit of nothing shows nothing.
        if outcome.offsets.is_empty() {
            return;
        }
        if let Some((_, failed)) = self.trouble.take() {
            tracing::info!(target: "kafkars::group", group, failed, "commits succeed again");
        }
    }

    /// Notes a failure that nobody else hears of.
    pub(super) fn failed(&mut self, group: &str, is_automatic: bool, error: &CommitError) {
        if let Some(cause) = lasting_cause(error) {
            let (known, failed) = self.trouble.get_or_insert_default();
            *failed += 1;
            if *known == cause {
                return;
            }
            *known = cause;
        }
        tell(group, is_automatic, error);
    }
}

/// Tells of one failure.
pub(super) fn tell(group: &str, is_automatic: bool, error: &CommitError) {
    match is_automatic {
        true => {
            tracing::warn!(target: "kafkars::group", group, %error, "an automatic commit failed");
        }
        false => {
            tracing::warn!(target: "kafkars::group", group, %error, "a commit that nobody waits for failed");
        }
    }
}

/// What commits fail of until something changes; none where each failure is an event of its own.
fn lasting_cause(error: &CommitError) -> Option<String> {
    match error {
        CommitError::TimedOut { .. } => Some("timed out".to_owned()),
        CommitError::Refused { code, .. } => Some(code.name().to_owned()),
        CommitError::NotMember { .. }
        | CommitError::TooMany { .. }
        | CommitError::Security(_)
        | CommitError::Failed { .. } => Some(error.to_string()),
        CommitError::Fenced { .. }
        | CommitError::NotOwned { .. }
        | CommitError::InvalidOffset { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use kafkars_core::group::CommitError;

    use super::UnheardCommits;

    #[test]
    fn each_change_of_cause_counts_from_the_first() {
        let mut unheard = UnheardCommits::default();
        for limit in [1, 1, 2, 2, 2] {
            unheard.failed("g", true, &CommitError::TooMany { limit });
        }
        let (cause, failed) = unheard.trouble.clone().unwrap_or_default();
        assert!(cause.starts_with("2 commits wait"), "{cause}");
        assert_eq!(failed, 5);
    }
}
