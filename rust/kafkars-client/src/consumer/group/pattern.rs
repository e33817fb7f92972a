//! Patterns of topic names that the client matches itself, for the classic protocol.

use std::sync::Arc;

use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::GroupError;
use regex_lite::Regex;

/// Kafka's internal topics, which no pattern matches.
const INTERNAL: [&str; 3] = [
    "__consumer_offsets",
    "__transaction_state",
    "__share_group_state",
];

/// A compiled pattern. It must match a whole name, as with Kafka.
#[derive(Debug, Clone)]
pub(in crate::consumer) struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern; the error says what is wrong with it.
    pub(super) fn new(pattern: &str) -> Result<Self, FetchError> {
        let refuse = |message: String| {
            FetchError::Group(GroupError::InvalidPattern {
                pattern: pattern.into(),
                message: message.into(),
            })
        };
        if pattern.is_empty() {
            return Err(refuse("it is empty and matches no topic".to_owned()));
        }
        // Checked on its own first: the group around it would balance an unbalanced parenthesis.
        Regex::new(pattern).map_err(|error| refuse(error.to_string()))?;
        Regex::new(&format!("^(?:{pattern})$"))
            .map(Self)
            .map_err(|error| refuse(error.to_string()))
    }

    /// Returns the topics that match.
    pub(super) fn select<'a>(
        &self,
        topics: impl IntoIterator<Item = &'a str>,
    ) -> impl Iterator<Item = Arc<str>> {
        let matching = topics
            .into_iter()
            .filter(|topic| self.0.is_match(topic) && !INTERNAL.contains(topic));
        matching.map(Arc::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(pattern: &str) -> Vec<String> {
        let topics = ["orders", "orders-eu", "returns", "__consumer_offsets"];
        let pattern = Pattern::new(pattern).expect("a pattern");
        let selected = pattern.select(topics);
        selected.map(|topic| topic.to_string()).collect()
    }

    #[test]
    fn the_whole_name_must_match() {
        assert_eq!(selected("orders"), ["orders"]);
        assert_eq!(selected("^orders.*"), ["orders", "orders-eu"]);
        assert_eq!(selected("orders|returns"), ["orders", "returns"]);
    }

    #[test]
    fn kafkas_own_topics_are_never_meant() {
        assert_eq!(selected(".*"), ["orders", "orders-eu", "returns"]);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for wrong in ["", "[", "(orders", "a)(b", "*"] {
            assert!(Pattern::new(wrong).is_err(), "{wrong}");
        }
    }
}
