//! Which error codes of Fetch, ListOffsets and OffsetForLeaderEpoch are retried.

use kafkars_protocol::ErrorCode;

/// True if a request that was refused with this code is sent again after a pause, without an error to the application:
/// `health()` shows it, a line is logged after ten seconds, and `stuck_timeout_ms` ends the waiting. All other codes
/// but `OFFSET_OUT_OF_RANGE`, which has rules of its own, are raised: once, and again when the application has taken
/// the error and it lasts.
///
/// These are the codes that Kafka calls retriable, and `UNKNOWN_SERVER_ERROR`: a broker returns that when something
/// inside it went wrong, such as a disk or a race with an election, and Java's consumer retries it too.
#[must_use]
pub fn is_retried(code: ErrorCode) -> bool {
    code.retriable() || code.invalid_metadata() || code == ErrorCode::UnknownServerError
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Eq)]
    enum Java {
        Retries,
        Raises,
    }

    /// What Java's consumer (4.3) does with each code that a partition of a fetch response can have.
    const FETCH: &[(ErrorCode, Java)] = &[
        (ErrorCode::UnknownServerError, Java::Retries),
        (ErrorCode::UnknownTopicOrPartition, Java::Retries),
        (ErrorCode::NotLeaderOrFollower, Java::Retries),
        (ErrorCode::ReplicaNotAvailable, Java::Retries),
        (ErrorCode::KafkaStorageError, Java::Retries),
        (ErrorCode::FencedLeaderEpoch, Java::Retries),
        (ErrorCode::UnknownLeaderEpoch, Java::Retries),
        (ErrorCode::OffsetNotAvailable, Java::Retries),
        (ErrorCode::UnknownTopicId, Java::Retries),
        (ErrorCode::InconsistentTopicId, Java::Retries),
        (ErrorCode::TopicAuthorizationFailed, Java::Raises),
        (ErrorCode::MessageTooLarge, Java::Raises),
        (ErrorCode::InvalidRequest, Java::Raises),
        (ErrorCode::UnsupportedVersion, Java::Raises),
        (ErrorCode::Unknown(9_999), Java::Raises),
    ];

    #[test]
    fn refused_fetches_are_retried_where_javas_consumer_retries() {
        for (code, java) in FETCH {
            assert_eq!(is_retried(*code), *java == Java::Retries, "{code}");
        }
    }

    #[test]
    fn a_broker_that_found_damage_is_asked_again_where_java_raises() {
        // Kafka calls it retriable: another replica may lead soon, and `health()` shows every try.
        assert!(is_retried(ErrorCode::CorruptMessage));
    }
}
