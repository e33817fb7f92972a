//! Where to start when no offset is valid: what to ask the leader, and when to give up.

use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::StartAt;
use crate::fetch::error::FetchError;

/// The timestamp by which ListOffsets is asked for the oldest record kept.
pub const EARLIEST_TIMESTAMP: i64 = -2;
/// The timestamp by which ListOffsets is asked for the offset after the newest record.
pub const LATEST_TIMESTAMP: i64 = -1;

/// The timestamp to ask ListOffsets for. `now_ms` is the wall clock, for policies that count back from now.
pub fn timestamp_for(
    start: StartAt,
    policy: AutoOffsetReset,
    now_ms: i64,
    partition: &TopicPartition,
) -> Result<i64, FetchError> {
    match (start, policy) {
        (StartAt::Earliest, _)
        | (StartAt::Policy | StartAt::Committed, AutoOffsetReset::Earliest) => {
            Ok(EARLIEST_TIMESTAMP)
        }
        (StartAt::Latest, _) | (StartAt::Policy | StartAt::Committed, AutoOffsetReset::Latest) => {
            Ok(LATEST_TIMESTAMP)
        }
        (StartAt::Timestamp(timestamp), _) => Ok(timestamp),
        (StartAt::Policy | StartAt::Committed, AutoOffsetReset::ByDuration(age)) => {
            let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
            Ok(now_ms.saturating_sub(age).max(0))
        }
        (StartAt::Policy | StartAt::Committed, AutoOffsetReset::None) => {
            Err(FetchError::NoOffset {
                partition: partition.clone(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ask(start: StartAt, policy: AutoOffsetReset) -> Result<i64, FetchError> {
        let partition = TopicPartition {
            topic: "t".into(),
            partition: 0,
        };
        timestamp_for(start, policy, 1_000_000, &partition)
    }

    #[test]
    fn a_seek_overrules_the_policy() {
        assert_eq!(ask(StartAt::Earliest, AutoOffsetReset::None), Ok(-2));
        assert_eq!(ask(StartAt::Latest, AutoOffsetReset::Earliest), Ok(-1));
        assert_eq!(ask(StartAt::Timestamp(7), AutoOffsetReset::Latest), Ok(7));
    }

    #[test]
    fn the_policy_decides_otherwise() {
        assert_eq!(ask(StartAt::Policy, AutoOffsetReset::Earliest), Ok(-2));
        assert_eq!(ask(StartAt::Policy, AutoOffsetReset::Latest), Ok(-1));
        let by_age = AutoOffsetReset::ByDuration(Duration::from_secs(10));
        assert_eq!(ask(StartAt::Policy, by_age), Ok(990_000));
        assert!(ask(StartAt::Policy, AutoOffsetReset::None).is_err());
    }
}
