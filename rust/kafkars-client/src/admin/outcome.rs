//! The outcome of a call for each resource that it was asked about.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;

use crate::error::{AttemptError, ClientError};

/// The outcome for each resource, in the order in which they were named.
pub type Outcomes<K, T> = Vec<(K, Result<T, ClientError>)>;

/// Turns an error code of a response into a result, with the broker's error message where it sent one.
pub(super) fn outcome(
    code: i16,
    topic: Option<&str>,
    message: Option<String>,
) -> Result<(), ClientError> {
    ErrorCode::check(code).map_err(|code| ClientError::Broker {
        code,
        topic: topic.map(Arc::from),
        partition: None,
        subject: None,
        message: message.filter(|text| !text.is_empty()).map(Arc::from),
    })
}

/// As [`outcome`], of what is no topic; `named` tells what, such as `group "g"`.
pub(super) fn outcome_of(
    code: i16,
    message: Option<String>,
    named: impl FnOnce() -> String,
) -> Result<(), ClientError> {
    outcome(code, None, message).map_err(|error| error.about(&named()))
}

/// The outcomes of what failed together.
pub(super) fn all_failed<K, T>(
    keys: Vec<K>,
    error: &ClientError,
) -> impl Iterator<Item = (K, Result<T, ClientError>)> {
    keys.into_iter().map(|key| (key, Err(error.clone())))
}

/// Authorized operations as a bit field of Kafka's `AclOperation`; `None` where they were not asked for.
pub(super) fn told_operations(bits: i32) -> Option<i32> {
    Some(bits).filter(|bits| *bits != i32::MIN)
}

/// Sorts outcomes into the order of `keys`; a key that the broker left out becomes an error.
pub(super) fn in_order<K: PartialEq + Clone, T>(
    keys: &[K],
    mut answered: Outcomes<K, T>,
) -> Outcomes<K, T> {
    let one = |(index, key): (usize, &K)| {
        let found = answered.iter().position(|(name, _)| name == key);
        let outcome = match found {
            Some(at) => answered.swap_remove(at).1,
            // Asked for twice, and answered above.
            None if keys[..index].contains(key) => return None,
            None => Err(ClientError::Attempt(AttemptError::Protocol(
                "the answer leaves out something that was asked for".into(),
            ))),
        };
        Some((key.clone(), outcome))
    };
    keys.iter().enumerate().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_asked_and_none_is_missing() {
        let keys = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let answered = vec![("c".to_owned(), Ok(3)), ("a".to_owned(), Ok(1))];
        let ordered = in_order(&keys, answered);
        assert_eq!(ordered[0], ("a".to_owned(), Ok(1)));
        assert!(ordered[1].1.is_err());
        assert_eq!(ordered[2], ("c".to_owned(), Ok(3)));
    }

    #[test]
    fn what_is_asked_for_twice_has_one_answer() {
        let keys = ["a", "b", "a"];
        let ordered = in_order(&keys, vec![("b", Ok(2)), ("a", Ok(1))]);
        assert_eq!(ordered, [("a", Ok(1)), ("b", Ok(2))]);
    }
}
