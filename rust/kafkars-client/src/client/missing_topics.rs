//! Remembers topics that were waited for in vain.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Topics of which brokers have said for `topic_metadata_propagation_max` that they do not exist, and when the wait for
/// each ended. Whoever asks for one of them soon after fails with the next answer that says so: otherwise a program
/// that sends to a topic that does not exist would wait anew with each record.
#[derive(Debug, Default)]
pub(super) struct MissingTopics(Mutex<HashMap<Arc<str>, Instant>>);

impl MissingTopics {
    /// Notes that a wait has ended. Waits that ended longer than `lasting` ago are forgotten.
    pub(super) fn insert(&self, topic: &str, now: Instant, lasting: Duration) {
        let mut missing = self.0.lock();
        missing.retain(|_, since| now.saturating_duration_since(*since) < lasting);
        missing.insert(topic.into(), now);
    }

    /// True if a wait for this topic has ended less than `lasting` ago.
    pub(super) fn contains(&self, topic: &str, now: Instant, lasting: Duration) -> bool {
        let missing = self.0.lock();
        let since = missing.get(topic);
        since.is_some_and(|since| now.saturating_duration_since(*since) < lasting)
    }

    /// Notes that the topic exists.
    pub(super) fn remove(&self, topic: &str) {
        self.0.lock().remove(topic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_missing_until_it_is_found_or_the_time_is_over() {
        let (missing, start, lasting) = (
            MissingTopics::default(),
            Instant::now(),
            Duration::from_secs(300),
        );
        assert!(!missing.contains("a", start, lasting));
        missing.insert("a", start, lasting);
        assert!(missing.contains("a", start + lasting / 2, lasting));
        assert!(!missing.contains("b", start, lasting));
        assert!(!missing.contains("a", start + lasting, lasting));
        missing.insert("b", start + lasting, lasting);
        assert_eq!(missing.0.lock().len(), 1, "what is over is forgotten");
        missing.remove("b");
        assert!(!missing.contains("b", start + lasting, lasting));
    }
}
