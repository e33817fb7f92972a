//! Settings that every client has.

use std::time::Duration;

use super::checked::Checked;
use super::error::{ConfigError, larger};
use super::security::SecurityConfig;

/// What every client needs: the cluster's addresses, timeouts and limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientConfig {
    /// `host:port` addresses to start from; any one that answers is enough. Without any the client connects to nothing,
    /// and what needs a broker waits until its deadline.
    pub bootstrap_servers: Vec<String>,
    /// Name shown in broker logs and quotas. Default `kafkars`.
    pub client_id: String,
    /// How long one request may wait for its response before the connection is given up. Default 30 s.
    pub request_timeout: Duration,
    /// How long one TCP connection may take to be set up. Default 10 s.
    pub connect_timeout: Duration,
    /// First pause before connecting again to a broker that failed. Default 50 ms.
    pub reconnect_backoff: Duration,
    /// Longest pause between connection attempts; `retry_backoff_max` for a broker that leads a topic in use. Default
    /// 1 s.
    pub reconnect_backoff_max: Duration,
    /// First pause before a failed request is tried again (KIP-580). Default 100 ms.
    pub retry_backoff: Duration,
    /// Longest pause between tries. Default 1 s.
    pub retry_backoff_max: Duration,
    /// Metadata older than this is asked for again. Default 300 s.
    pub metadata_max_age: Duration,
    /// Connections unused for this long are closed. Default 540 s.
    pub connections_max_idle: Duration,
    /// Largest response frame accepted, in bytes. Default 100,000,000.
    pub receive_message_max_bytes: usize,
    /// Whether metadata requests may create topics, where the broker allows it. Default true.
    pub allow_auto_create_topics: bool,
    /// For how long brokers may say that a topic does not exist before calls about it fail, and records for it. A topic
    /// that was just created is unknown to some brokers for a moment, even if this client has created it. Default 5 s.
    pub topic_metadata_propagation_max: Duration,
    /// How long closing a client may take if its caller gives no time. Default 20 s: less than the 30 s that Kubernetes
    /// grants, and more than partitions need to get another leader when a broker fails.
    pub close_timeout: Duration,
    /// `SO_SNDBUF` in bytes; the system's default when `None`.
    pub send_buffer: Option<usize>,
    /// `SO_RCVBUF` in bytes; the system's default when `None`.
    pub receive_buffer: Option<usize>,
    /// How connections are protected. Default not at all.
    pub security: SecurityConfig,
}

impl Default for ClientConfig {
    fn default() -> Self {
        Self {
            bootstrap_servers: Vec::new(),
            client_id: "kafkars".to_owned(),
            request_timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            reconnect_backoff: Duration::from_millis(50),
            reconnect_backoff_max: Duration::from_secs(1),
            retry_backoff: Duration::from_millis(100),
            retry_backoff_max: Duration::from_secs(1),
            metadata_max_age: Duration::from_secs(300),
            connections_max_idle: Duration::from_secs(540),
            receive_message_max_bytes: 100_000_000,
            allow_auto_create_topics: true,
            topic_metadata_propagation_max: Duration::from_secs(5),
            close_timeout: Duration::from_secs(20),
            send_buffer: None,
            receive_buffer: None,
            security: SecurityConfig::default(),
        }
    }
}

impl ClientConfig {
    /// Checks addresses and the order of back-offs.
    pub fn check(self) -> Result<Checked<Self>, ConfigError> {
        for server in &self.bootstrap_servers {
            check_address(server)?;
        }
        if self.reconnect_backoff > self.reconnect_backoff_max {
            return Err(ConfigError::new(
                "reconnect_backoff_ms",
                larger(
                    self.reconnect_backoff,
                    "reconnect_backoff_max_ms",
                    self.reconnect_backoff_max,
                ),
            ));
        }
        if self.retry_backoff > self.retry_backoff_max {
            return Err(ConfigError::new(
                "retry_backoff_ms",
                larger(
                    self.retry_backoff,
                    "retry_backoff_max_ms",
                    self.retry_backoff_max,
                ),
            ));
        }
        if self.request_timeout.is_zero() {
            return Err(ConfigError::new("request_timeout_ms", "must be above 0"));
        }
        if self.receive_message_max_bytes < 1024 {
            return Err(ConfigError::new(
                "receive_message_max_bytes",
                "must be at least 1024",
            ));
        }
        self.security.check()?;
        Ok(Checked(self))
    }
}

/// `host:port`, with IPv6 hosts in brackets.
fn check_address(server: &str) -> Result<(), ConfigError> {
    let problem = |text: String| Err(ConfigError::new("bootstrap_servers", text));
    if let Some((scheme, _)) = server.split_once("://") {
        return problem(format!(
            "{server:?}: write host:port, without \"{scheme}://\"; security_protocol says how to connect"
        ));
    }
    if server.contains([';', '|']) || server.matches(':').count() > 1 && server.contains(' ') {
        return problem(format!(
            "{server:?}: several addresses are separated by commas"
        ));
    }
    if server.contains(char::is_whitespace) {
        return problem(format!("{server:?}: write host:port, without spaces"));
    }
    if server.contains('/') {
        return problem(format!(
            "{server:?}: write host:port, with nothing behind it"
        ));
    }
    let Some((host, port)) = server.rsplit_once(':') else {
        return problem(format!("{server:?} has no port; write host:port"));
    };
    if host.is_empty() {
        return problem(format!("{server:?} has no host; write host:port"));
    }
    if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) {
        return problem(format!(
            "{server:?}: an IPv6 host is written in brackets, as [::1]:9092"
        ));
    }
    match port.parse::<u16>() {
        Ok(port) if port > 0 => Ok(()),
        _ => problem(format!("{server:?}: the port must be 1 to 65535")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(server: &str) -> Result<(), String> {
        let config = ClientConfig {
            bootstrap_servers: vec![server.to_owned()],
            ..ClientConfig::default()
        };
        config.check().map(drop).map_err(|error| error.to_string())
    }

    #[test]
    fn addresses_need_a_host_and_a_port() {
        for good in ["localhost:9092", "[::1]:9092", "10.0.0.1:1"] {
            assert_eq!(check(good), Ok(()));
        }
        for bad in [
            "localhost",
            ":9092",
            "localhost:",
            "localhost:0",
            "localhost:65536",
            "::1:9092",
            "http://localhost:9092",
            "a:9092;b:9092",
            "a:9092 b:9092",
            "localhost: 9092",
            "localhost:9092/",
        ] {
            let problem = check(bad).expect_err(bad);
            assert!(problem.starts_with("bootstrap_servers: "), "{problem}");
        }
    }

    #[test]
    fn contradictions_name_their_setting() {
        let config = ClientConfig {
            bootstrap_servers: vec!["localhost:9092".to_owned()],
            retry_backoff: Duration::from_secs(2),
            ..ClientConfig::default()
        };
        assert_eq!(
            config.check().expect_err("contradiction").setting,
            "retry_backoff_ms"
        );
    }
}
