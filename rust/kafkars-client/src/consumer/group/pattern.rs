//! Patterns of topic names, matched here where the coordinator cannot do it.

use std::sync::Arc;

use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::GroupError;
use regex_lite::Regex;

/// Topics of Kafka's own, which no pattern means.
const INTERNAL: [&str; 3] = [
    "__consumer_offsets",
    "__transaction_state",
    "__share_group_state",
];

/// A compiled pattern; like Kafka's it must match a whole name.
#[derive(Debug, Clone)]
pub(in crate::consumer) struct Pattern(Regex);

impl Pattern {
    /// Fails with what is wrong with it.
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
        // Checked alone first, so that an unbalanced parenthesis is not balanced by ours.
        Regex::new(pattern).map_err(|error| refuse(error.to_string()))?;
        Regex::new(&format!("^(?:{pattern})$"))
            .map(Self)
            .map_err(|error| refuse(error.to_string()))
    }

    /// Those that match.
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
