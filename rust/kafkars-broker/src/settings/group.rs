//! Settings of group coordinators, by the names that Kafka's brokers have for them.

use std::time::Duration;

use super::migration::MigrationPolicy;

/// Settings of group coordinators; the defaults are Kafka's unless said otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupSettings {
    /// The time that the first rebalance of an empty classic group waits for more members
    /// (`group.initial.rebalance.delay.ms`). Default 0, where Kafka waits 3 s: tests should not.
    pub initial_rebalance_delay: Duration,
    /// Shortest session timeout a classic member may ask for (`group.min.session.timeout.ms`). Default 6 s.
    pub min_session_timeout: Duration,
    /// Longest session timeout a classic member may ask for (`group.max.session.timeout.ms`). Default 30 min.
    pub max_session_timeout: Duration,
    /// Members one group may have, of any kind (`group.max.size`, `group.consumer.max.size`). Default 10,000, where
    /// Kafka has no limit for classic groups.
    pub max_size: usize,
    /// Groups there may be, which Kafka does not limit. Default 10,000.
    pub max_groups: usize,
    /// Bytes that the subscriptions and assignments of all members, and again all committed offsets, may take, which
    /// Kafka does not limit. Default 256 MiB.
    pub max_bytes: usize,
    /// Session timeout of members of consumer groups (`group.consumer.session.timeout.ms`). Default 45 s.
    pub consumer_session_timeout: Duration,
    /// The interval at which members of consumer groups are told to send heartbeats
    /// (`group.consumer.heartbeat.interval.ms`). Default 500 ms, where Kafka has 5 s: partitions change hands with
    /// heartbeats, and tests should not wait for that.
    pub consumer_heartbeat_interval: Duration,
    /// The policy for groups that change their protocol while they have members (`group.consumer.migration.policy`).
    /// Default both ways.
    pub migration_policy: MigrationPolicy,
    /// The time that committed offsets are kept once nobody uses them (`offsets.retention.minutes`). Default 7 days.
    pub offsets_retention: Duration,
    /// Largest metadata of a committed offset (`offset.metadata.max.bytes`). Default 4 KiB.
    pub offset_metadata_max_bytes: usize,
}

impl Default for GroupSettings {
    fn default() -> Self {
        Self {
            initial_rebalance_delay: Duration::ZERO,
            min_session_timeout: Duration::from_secs(6),
            max_session_timeout: Duration::from_secs(30 * 60),
            max_size: 10_000,
            max_groups: 10_000,
            max_bytes: 256 << 20,
            consumer_session_timeout: Duration::from_secs(45),
            consumer_heartbeat_interval: Duration::from_millis(500),
            migration_policy: MigrationPolicy::default(),
            offsets_retention: Duration::from_secs(7 * 24 * 3600),
            offset_metadata_max_bytes: 4096,
        }
    }
}

/// Gives a duration in whole milliseconds, as Kafka counts.
pub(crate) fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
