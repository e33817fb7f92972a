//! Settings of consumers that belong to a group.

use std::time::Duration;

use super::ConfigError;

/// How members and coordinator agree on who reads what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupProtocol {
    /// Members join and one of them assigns: every Kafka speaks it.
    #[default]
    Classic,
    /// The coordinator assigns and members reconcile (KIP-848): Kafka 4.0 and later.
    Consumer,
}

impl GroupProtocol {
    /// The word as the user writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
        }
    }
}

/// Membership of one consumer. Settings that only one protocol knows are `None` where the user did not name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupConfig {
    /// The group's name.
    pub group_id: String,
    /// Default classic, as in Kafka 4.
    pub protocol: GroupProtocol,
    /// A name that keeps its partitions over a restart (KIP-345).
    pub instance_id: Option<String>,
    /// The coordinator's assignor, for the consumer protocol; `None` leaves the choice to the coordinator.
    pub remote_assignor: Option<String>,
    /// Names of assignors, best first, for the classic protocol. Default range, then cooperative-sticky.
    pub assignment_strategy: Option<Vec<String>>,
    /// A member that is silent for this long is taken for dead; classic protocol. Default 45 s.
    pub session_timeout: Option<Duration>,
    /// Pause between signs of life; classic protocol. Default 3 s.
    pub heartbeat_interval: Option<Duration>,
    /// Longest time between two polls; above it the member leaves. Default 5 min.
    pub max_poll_interval: Duration,
    /// Whether positions are committed without being asked. Default true.
    pub enable_auto_commit: bool,
    /// Pause between such commits. Default 5 s.
    pub auto_commit_interval: Duration,
}

/// Kafka's defaults for settings that only the classic protocol knows.
pub const DEFAULT_SESSION_TIMEOUT: Duration = Duration::from_secs(45);
/// As above.
pub const DEFAULT_HEARTBEAT_INTERVAL: Duration = Duration::from_secs(3);
/// As above: both are offered, so that a group moves from eager to cooperative once all members offer the second.
pub const DEFAULT_ASSIGNORS: [&str; 2] = ["range", "cooperative-sticky"];

impl Default for GroupConfig {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            protocol: GroupProtocol::default(),
            instance_id: None,
            remote_assignor: None,
            assignment_strategy: None,
            session_timeout: None,
            heartbeat_interval: None,
            max_poll_interval: Duration::from_secs(300),
            enable_auto_commit: true,
            auto_commit_interval: Duration::from_secs(5),
        }
    }
}

impl GroupConfig {
    /// `session_timeout_ms`, or its default.
    #[must_use]
    pub fn session_timeout(&self) -> Duration {
        self.session_timeout.unwrap_or(DEFAULT_SESSION_TIMEOUT)
    }

    /// `heartbeat_interval_ms`, or its default.
    #[must_use]
    pub fn heartbeat_interval(&self) -> Duration {
        self.heartbeat_interval
            .unwrap_or(DEFAULT_HEARTBEAT_INTERVAL)
    }

    /// `partition_assignment_strategy`, or its default.
    #[must_use]
    pub fn assignors(&self) -> Vec<String> {
        let default = || DEFAULT_ASSIGNORS.map(str::to_owned).to_vec();
        self.assignment_strategy.clone().unwrap_or_else(default)
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.group_id.trim().is_empty() {
            return Err(ConfigError::new(
                "group_id",
                "must not be empty; leave it out to read without a group",
            ));
        }
        if self.instance_id.as_deref() == Some("") {
            return Err(ConfigError::new(
                "group_instance_id",
                "must not be empty; leave it out for a dynamic member",
            ));
        }
        if self.max_poll_interval.is_zero() {
            return Err(ConfigError::new("max_poll_interval_ms", "must be above 0"));
        }
        if self.auto_commit_interval.is_zero() {
            return Err(ConfigError::new(
                "auto_commit_interval_ms",
                "must be above 0; enable_auto_commit=False turns automatic commits off",
            ));
        }
        match self.protocol {
            GroupProtocol::Classic => self.check_classic(),
            GroupProtocol::Consumer => self.check_consumer(),
        }
    }

    fn check_classic(&self) -> Result<(), ConfigError> {
        if self.remote_assignor.is_some() {
            return Err(ConfigError::new(
                "group_remote_assignor",
                "is for group_protocol=\"consumer\"; the classic protocol takes partition_assignment_strategy",
            ));
        }
        let (session, heartbeat) = (self.session_timeout(), self.heartbeat_interval());
        if heartbeat.is_zero() {
            return Err(ConfigError::new("heartbeat_interval_ms", "must be above 0"));
        }
        if heartbeat >= session {
            return Err(ConfigError::new(
                "heartbeat_interval_ms",
                format!(
                    "is {} ms and must be below session_timeout_ms, which is {} ms: the member would be taken for dead between \
                     two heartbeats",
                    heartbeat.as_millis(),
                    session.as_millis()
                ),
            ));
        }
        if self.assignment_strategy.as_ref().is_some_and(Vec::is_empty) {
            return Err(ConfigError::new(
                "partition_assignment_strategy",
                "must name at least one assignor, such as \"range\" or \"cooperative-sticky\"",
            ));
        }
        Ok(())
    }

    fn check_consumer(&self) -> Result<(), ConfigError> {
        let unused = [
            ("session_timeout_ms", self.session_timeout.is_some()),
            ("heartbeat_interval_ms", self.heartbeat_interval.is_some()),
            (
                "partition_assignment_strategy",
                self.assignment_strategy.is_some(),
            ),
        ];
        for (setting, given) in unused {
            if given {
                return Err(ConfigError::new(
                    setting,
                    "cannot be set with group_protocol=\"consumer\": there the broker decides it (KIP-848)",
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> GroupConfig {
        GroupConfig {
            group_id: "g".to_owned(),
            ..GroupConfig::default()
        }
    }

    fn setting(config: &GroupConfig) -> &'static str {
        config.check().expect_err("a contradiction").setting
    }

    #[test]
    fn defaults_fit_each_other() {
        assert!(group().check().is_ok());
        let consumer = GroupConfig {
            protocol: GroupProtocol::Consumer,
            ..group()
        };
        assert!(consumer.check().is_ok());
    }

    #[test]
    fn contradictions_name_their_setting() {
        let second = Some(Duration::from_secs(1));
        let slow = GroupConfig {
            session_timeout: second,
            ..group()
        };
        assert_eq!(setting(&slow), "heartbeat_interval_ms");
        let remote = GroupConfig {
            remote_assignor: Some("uniform".to_owned()),
            ..group()
        };
        assert_eq!(setting(&remote), "group_remote_assignor");
        let consumer = GroupConfig {
            protocol: GroupProtocol::Consumer,
            session_timeout: second,
            ..group()
        };
        assert_eq!(setting(&consumer), "session_timeout_ms");
        let none = GroupConfig {
            assignment_strategy: Some(Vec::new()),
            ..group()
        };
        assert_eq!(setting(&none), "partition_assignment_strategy");
        assert_eq!(setting(&GroupConfig::default()), "group_id");
    }
}
