//! Settings of clients, producers and consumers, and the checks between them.
//!
//! The structs here are user input with Kafka's names and defaults. [`Checked`] is the same input after
//! its rules held: drivers only accept that, so a contradictory setting cannot reach a socket.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use kafkars_records::Compression;

use crate::produce::partitioner::Partitioner;

/// A setting that cannot be used, with the setting's Kafka name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    /// The setting's name as the user writes it (`linger_ms`).
    pub setting: &'static str,
    /// What is wrong and what is accepted.
    pub problem: String,
}

impl ConfigError {
    fn new(setting: &'static str, problem: impl Into<String>) -> Self {
        Self {
            setting,
            problem: problem.into(),
        }
    }
}

/// Settings whose rules were checked. Made only by the `check` methods.
#[derive(Debug, Clone)]
pub struct Checked<T>(T);

impl<T> Deref for Checked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// What every client needs: where the cluster is and how patient to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientConfig {
    /// `host:port` addresses to start from; any one that answers is enough.
    pub bootstrap_servers: Vec<String>,
    /// Name shown in broker logs and quotas. Default `kafkars`.
    pub client_id: String,
    /// How long one request may wait for its answer before the connection is given up. Default 30 s.
    pub request_timeout: Duration,
    /// How long one TCP connection may take to be set up. Default 10 s.
    pub connect_timeout: Duration,
    /// First pause before connecting again to a broker that failed. Default 50 ms.
    pub reconnect_backoff: Duration,
    /// Longest pause between connection attempts. Default 1 s.
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
    /// `SO_SNDBUF` in bytes; the system's default when `None`.
    pub send_buffer: Option<usize>,
    /// `SO_RCVBUF` in bytes; the system's default when `None`.
    pub receive_buffer: Option<usize>,
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
            send_buffer: None,
            receive_buffer: None,
        }
    }
}

impl ClientConfig {
    /// Checks addresses and the order of back-offs.
    pub fn check(self) -> Result<Checked<Self>, ConfigError> {
        if self.bootstrap_servers.is_empty() {
            return Err(ConfigError::new(
                "bootstrap_servers",
                "is empty; give at least one host:port",
            ));
        }
        for server in &self.bootstrap_servers {
            check_address(server)?;
        }
        if self.reconnect_backoff > self.reconnect_backoff_max {
            return Err(ConfigError::new(
                "reconnect_backoff_ms",
                "is larger than reconnect_backoff_max_ms",
            ));
        }
        if self.retry_backoff > self.retry_backoff_max {
            return Err(ConfigError::new(
                "retry_backoff_ms",
                "is larger than retry_backoff_max_ms",
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
        Ok(Checked(self))
    }
}

/// `host:port`, with IPv6 hosts in brackets.
fn check_address(server: &str) -> Result<(), ConfigError> {
    let problem = |text: String| Err(ConfigError::new("bootstrap_servers", text));
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

/// Which replicas must have a record before it counts as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Acks {
    /// Nobody answers: fire and forget.
    None,
    /// The leader has it.
    Leader,
    /// All replicas in sync have it.
    #[default]
    All,
}

impl Acks {
    /// The number that travels in a Produce request.
    pub fn as_i16(self) -> i16 {
        match self {
            Self::None => 0,
            Self::Leader => 1,
            Self::All => -1,
        }
    }
}

/// How a producer collects, sends and retries.
#[derive(Debug, Clone)]
pub struct ProducerConfig {
    /// Default [`Acks::All`].
    pub acks: Acks,
    /// How long a batch that is not full waits for more records. Default 5 ms (KIP-1030).
    pub linger: Duration,
    /// Bytes of encoded records after which a partition's batch is closed. Default 1 MiB: one round trip carries
    /// at most one batch per partition, so small batches would bound throughput by latency.
    pub batch_size: usize,
    /// Bytes that unacknowledged records may hold in all. Default 32 MiB.
    pub buffer_memory: usize,
    /// How long a send may wait for metadata or buffer room. Default 60 s.
    pub max_block: Duration,
    /// Largest Produce request and largest record, in bytes before compression. Default 1 MiB.
    pub max_request_size: usize,
    /// From send to acknowledgement or failure, retries included. Default 120 s.
    pub delivery_timeout: Duration,
    /// How long the broker may wait for its replicas, inside `request_timeout`. Default 30 s.
    pub request_timeout: Duration,
    /// Produce requests under way per broker. Default 5.
    pub max_in_flight: usize,
    /// Codec and level for new batches. Default none.
    pub compression: Compression,
    /// How a partition is chosen when the record names none.
    pub partitioner: Partitioner,
    /// Sequence numbers that let the broker drop repeated batches. Default true where acks is all.
    pub enable_idempotence: bool,
}

impl Default for ProducerConfig {
    fn default() -> Self {
        Self {
            acks: Acks::All,
            linger: Duration::from_millis(5),
            batch_size: 1 << 20,
            buffer_memory: 32 << 20,
            max_block: Duration::from_secs(60),
            max_request_size: 1 << 20,
            delivery_timeout: Duration::from_secs(120),
            request_timeout: Duration::from_secs(30),
            max_in_flight: 5,
            compression: Compression::default(),
            partitioner: Partitioner::default(),
            enable_idempotence: true,
        }
    }
}

impl ProducerConfig {
    /// Checks that the limits fit each other.
    pub fn check(self) -> Result<Checked<Self>, ConfigError> {
        if self.max_in_flight == 0 {
            return Err(ConfigError::new(
                "max_in_flight_requests_per_connection",
                "must be at least 1",
            ));
        }
        if self.enable_idempotence {
            if self.acks != Acks::All {
                return Err(ConfigError::new(
                    "acks",
                    "must be \"all\" with enable_idempotence=True; set enable_idempotence=False to use acks 0 or 1",
                ));
            }
            if self.max_in_flight > 5 {
                return Err(ConfigError::new(
                    "max_in_flight_requests_per_connection",
                    "must be at most 5 with enable_idempotence=True: the broker remembers five batches",
                ));
            }
        }
        if self.batch_size == 0 || self.batch_size > MAX_BATCH {
            return Err(ConfigError::new(
                "batch_size",
                format!("must be 1 to {MAX_BATCH} bytes"),
            ));
        }
        if self.max_request_size == 0 || self.max_request_size > MAX_BATCH {
            return Err(ConfigError::new(
                "max_request_size",
                format!("must be 1 to {MAX_BATCH} bytes"),
            ));
        }
        if self.buffer_memory < self.max_request_size {
            return Err(ConfigError::new(
                "buffer_memory",
                "is smaller than max_request_size: the largest record would never fit",
            ));
        }
        if self.delivery_timeout < self.linger + self.request_timeout {
            return Err(ConfigError::new(
                "delivery_timeout_ms",
                "must be at least linger_ms + request_timeout_ms: a batch needs time for one try",
            ));
        }
        Ok(Checked(self))
    }
}

/// Frames and batches carry 32-bit lengths; half of that leaves room for headers.
const MAX_BATCH: usize = 1 << 30;

/// Which records of transactions a consumer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IsolationLevel {
    /// Every record up to the high watermark.
    #[default]
    ReadUncommitted,
    /// Only records of committed transactions, up to the last stable offset.
    ReadCommitted,
}

impl IsolationLevel {
    /// The number that travels in Fetch and ListOffsets requests.
    pub fn as_i8(self) -> i8 {
        match self {
            Self::ReadUncommitted => 0,
            Self::ReadCommitted => 1,
        }
    }
}

/// Where to start when a partition has no valid position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoOffsetReset {
    /// The oldest record still kept.
    Earliest,
    /// Records that arrive from now on.
    #[default]
    Latest,
    /// Nowhere: the application gets an error and decides.
    None,
    /// Records at most this old (KIP-1106).
    ByDuration(Duration),
}

/// How a consumer fetches and what it hands out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsumerConfig {
    /// The broker waits for this many bytes before it answers. Default 1.
    pub fetch_min_bytes: i32,
    /// Most bytes in one fetch response. Default 50 MiB.
    pub fetch_max_bytes: i32,
    /// Most bytes per partition in one fetch response. Default 1 MiB.
    pub max_partition_fetch_bytes: i32,
    /// Longest a fetch waits at the broker for `fetch_min_bytes`. Default 500 ms.
    pub fetch_max_wait: Duration,
    /// Bytes of fetched data that may wait for the application, over all partitions. Default 32 MiB.
    pub fetch_buffer_bytes: usize,
    /// Most records one batch call returns. Default 500.
    pub max_poll_records: usize,
    /// Default read uncommitted.
    pub isolation_level: IsolationLevel,
    /// Default latest, as everywhere in Kafka.
    pub auto_offset_reset: AutoOffsetReset,
    /// Rack of this client for reading from the nearest replica (KIP-392).
    pub client_rack: String,
    /// Deadline of calls that ask the cluster and name none themselves. Default 60 s.
    pub default_api_timeout: Duration,
    /// Largest size one compressed batch may have when opened, in bytes. Default 256 MiB.
    pub max_decompressed_batch: usize,
}

impl Default for ConsumerConfig {
    fn default() -> Self {
        Self {
            fetch_min_bytes: 1,
            fetch_max_bytes: 50 << 20,
            max_partition_fetch_bytes: 1 << 20,
            fetch_max_wait: Duration::from_millis(500),
            fetch_buffer_bytes: 32 << 20,
            max_poll_records: 500,
            isolation_level: IsolationLevel::default(),
            auto_offset_reset: AutoOffsetReset::default(),
            client_rack: String::new(),
            default_api_timeout: Duration::from_secs(60),
            max_decompressed_batch: 256 << 20,
        }
    }
}

impl ConsumerConfig {
    /// Checks that the limits fit each other.
    pub fn check(self) -> Result<Checked<Self>, ConfigError> {
        let positive = [
            ("fetch_max_bytes", self.fetch_max_bytes),
            ("max_partition_fetch_bytes", self.max_partition_fetch_bytes),
        ];
        for (setting, value) in positive {
            if value <= 0 {
                return Err(ConfigError::new(setting, "must be above 0"));
            }
        }
        if self.fetch_min_bytes < 0 {
            return Err(ConfigError::new("fetch_min_bytes", "must not be negative"));
        }
        if self.fetch_min_bytes > self.fetch_max_bytes {
            return Err(ConfigError::new(
                "fetch_min_bytes",
                "is larger than fetch_max_bytes: every fetch would wait its full time",
            ));
        }
        if self.max_poll_records == 0 {
            return Err(ConfigError::new("max_poll_records", "must be at least 1"));
        }
        if self.fetch_buffer_bytes == 0 {
            return Err(ConfigError::new("fetch_buffer_bytes", "must be above 0"));
        }
        Ok(Checked(self))
    }
}

/// A topic and one of its partitions; the name is shared, so clones are cheap.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TopicPartition {
    /// The topic's name.
    pub topic: Arc<str>,
    /// The partition's number, from 0.
    pub partition: i32,
}

impl std::fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.topic, self.partition)
    }
}
