//! What became of each thing that a call was asked about.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;

use crate::error::{AttemptError, ClientError};

/// What became of each thing that was asked about, in the order asked.
pub type Outcomes<K, T> = Vec<(K, Result<T, ClientError>)>;

/// A code of a response as a result, with the broker's own words where it sent any.
pub(super) fn outcome(
    code: i16,
    topic: Option<&str>,
    message: Option<String>,
) -> Result<(), ClientError> {
    ErrorCode::check(code).map_err(|code| ClientError::Broker {
        code,
        topic: topic.map(Arc::from),
        partition: None,
        message: message.filter(|text| !text.is_empty()).map(Arc::from),
    })
}

/// The operations that a broker says are allowed, as a bit field of Kafka's `AclOperation`; `None` where it was not
/// asked.
pub(super) fn told_operations(bits: i32) -> Option<i32> {
    Some(bits).filter(|bits| *bits != i32::MIN)
}

/// The outcome of each key, in the order of `keys`; a key that the broker left out is an error, not a gap.
pub(super) fn in_order<K: PartialEq + Clone, T>(
    keys: &[K],
    mut answered: Outcomes<K, T>,
) -> Outcomes<K, T> {
    let one = |key: &K| {
        let found = answered.iter().position(|(name, _)| name == key);
        let outcome = match found {
            Some(at) => answered.swap_remove(at).1,
            None => Err(ClientError::Attempt(AttemptError::Protocol(
                "the answer leaves out something that was asked for".into(),
            ))),
        };
        (key.clone(), outcome)
    };
    keys.iter().map(one).collect()
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
}
