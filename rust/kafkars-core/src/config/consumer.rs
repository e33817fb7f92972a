//! Settings of consumers.

use std::time::Duration;

use super::{Checked, ConfigError};

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
