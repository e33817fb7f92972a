//! Settings of group members.

use std::time::Duration;

use super::checked::Checked;
use super::error::{ConfigError, larger};

/// Which of Kafka's two group protocols a member speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupProtocol {
    /// JoinGroup, SyncGroup, Heartbeat: members assign partitions among themselves.
    #[default]
    Classic,
    /// ConsumerGroupHeartbeat: the coordinator assigns (KIP-848, Kafka 4.0 and newer).
    Consumer,
}

impl GroupProtocol {
    /// The value of the setting `group_protocol`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Consumer => "consumer",
        }
    }
}

/// How a consumer takes part in its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupConfig {
    /// The group's name.
    pub group_id: String,
    /// Name of this member that outlives its process (KIP-345). Default none.
    pub group_instance_id: Option<String>,
    /// Default classic.
    pub group_protocol: GroupProtocol,
    /// The coordinator's assignor with the consumer protocol; its own choice when `None`.
    pub group_remote_assignor: Option<String>,
    /// A member that the coordinator does not hear from for this long is removed from the group. Default 45 s. With the
    /// consumer protocol the coordinator decides (`group.consumer.session.timeout.ms`, also 45 s); this is then how
    /// long the member trusts its assignment without hearing from it.
    pub session_timeout: Duration,
    /// Pause between heartbeats with the classic protocol. Default 3 s. The coordinator decides with the consumer
    /// protocol.
    pub heartbeat_interval: Duration,
    /// Longest time between two calls by which the application takes records. Default 300 s.
    pub max_poll_interval: Duration,
    /// How long members may take to give up partitions in a rebalance. `max_poll_interval` when `None`.
    pub rebalance_timeout: Option<Duration>,
    /// Rack of this client, for rack-aware assignment (KIP-881). Default none.
    pub client_rack: Option<String>,
    /// Whether positions are committed automatically. Default true.
    pub enable_auto_commit: bool,
    /// Pause between automatic commits. Default 5 s.
    pub auto_commit_interval: Duration,
    /// How long one request may wait for its response. Default 30 s.
    pub request_timeout: Duration,
    /// First pause before a failed request is tried again (KIP-580). Default 100 ms.
    pub retry_backoff: Duration,
    /// Longest pause between tries. Default 1 s.
    pub retry_backoff_max: Duration,
}

impl Default for GroupConfig {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            group_instance_id: None,
            group_protocol: GroupProtocol::default(),
            group_remote_assignor: None,
            session_timeout: Duration::from_secs(45),
            heartbeat_interval: Duration::from_secs(3),
            max_poll_interval: Duration::from_secs(300),
            rebalance_timeout: None,
            client_rack: None,
            enable_auto_commit: true,
            auto_commit_interval: Duration::from_secs(5),
            request_timeout: Duration::from_secs(30),
            retry_backoff: Duration::from_millis(100),
            retry_backoff_max: Duration::from_secs(1),
        }
    }
}

impl GroupConfig {
    /// How long this member may take to give up partitions.
    #[must_use]
    pub fn rebalance_timeout(&self) -> Duration {
        self.rebalance_timeout.unwrap_or(self.max_poll_interval)
    }

    /// Checks names, and that the intervals fit each other.
    ///
    /// # Errors
    /// [`ConfigError`] with the setting that cannot be used.
    pub fn check(self) -> Result<Checked<Self>, ConfigError> {
        if self.group_id.is_empty() {
            return Err(ConfigError::new("group_id", "is empty; name the group"));
        }
        if self.group_instance_id.as_deref() == Some("") {
            let problem = "is empty; name the member or leave it out";
            return Err(ConfigError::new("group_instance_id", problem));
        }
        let times = [
            ("session_timeout_ms", self.session_timeout),
            ("heartbeat_interval_ms", self.heartbeat_interval),
            ("max_poll_interval_ms", self.max_poll_interval),
            ("rebalance_timeout_ms", self.rebalance_timeout()),
            ("auto_commit_interval_ms", self.auto_commit_interval),
            ("request_timeout_ms", self.request_timeout),
        ];
        for (setting, time) in times {
            if time < Duration::from_millis(1) || i32::try_from(time.as_millis()).is_err() {
                return Err(ConfigError::new(
                    setting,
                    format!("must be from 1 to {} ms", i32::MAX),
                ));
            }
        }
        if self.heartbeat_interval >= self.session_timeout {
            let problem = format!(
                "is {} ms, not below session_timeout_ms={}: the session would end between two heartbeats",
                self.heartbeat_interval.as_millis(),
                self.session_timeout.as_millis(),
            );
            return Err(ConfigError::new("heartbeat_interval_ms", problem));
        }
        if self.retry_backoff > self.retry_backoff_max {
            let problem = larger(
                self.retry_backoff,
                "retry_backoff_max_ms",
                self.retry_backoff_max,
            );
            return Err(ConfigError::new("retry_backoff_ms", problem));
        }
        if self.group_remote_assignor.is_some() && self.group_protocol == GroupProtocol::Classic {
            let problem = "needs group_protocol=\"consumer\"; the classic protocol has partition_assignment_strategy";
            return Err(ConfigError::new("group_remote_assignor", problem));
        }
        Ok(Checked(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(change: impl FnOnce(&mut GroupConfig)) -> &'static str {
        let mut config = GroupConfig {
            group_id: "g".to_owned(),
            ..GroupConfig::default()
        };
        change(&mut config);
        config.check().expect_err("contradiction").setting
    }

    #[test]
    fn contradictions_name_their_setting() {
        assert_eq!(problem(|config| config.group_id.clear()), "group_id");
        assert_eq!(
            problem(|config| config.group_instance_id = Some(String::new())),
            "group_instance_id"
        );
        assert_eq!(
            problem(|config| config.heartbeat_interval = config.session_timeout),
            "heartbeat_interval_ms"
        );
        assert_eq!(
            problem(|config| config.max_poll_interval = Duration::MAX),
            "max_poll_interval_ms"
        );
        assert_eq!(
            problem(|config| config.group_remote_assignor = Some("uniform".to_owned())),
            "group_remote_assignor"
        );
    }
}
