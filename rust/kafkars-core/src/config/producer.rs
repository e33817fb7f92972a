//! Settings of producers.

use std::time::{Duration, Instant};

use kafkars_records::Compression;

use super::checked::Checked;
use super::error::{ConfigError, milliseconds};
use crate::produce::partitioner::Partitioner;

/// Which replicas must have a record before it counts as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Acks {
    /// acks=0: the broker sends no answer.
    None,
    /// acks=1: the leader has written the record.
    Leader,
    /// acks=all: all replicas in sync have the record.
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
    /// How often a batch that was sent and not stored is sent again, as long as `delivery_timeout` lasts. Without
    /// idempotence 0 keeps a record from being stored twice. Default: as often as time allows.
    pub retries: u32,
    /// How long an answer is waited for. Default 30 s.
    pub request_timeout: Duration,
    /// How long the leader may wait for its replicas before it says so. Default: as long as its answer is waited for.
    pub acks_timeout: Option<Duration>,
    /// Produce requests under way per broker. Default 5.
    pub max_in_flight: usize,
    /// Codec and level for new batches. Default none.
    pub compression: Compression,
    /// How a partition is chosen when the record names none.
    pub partitioner: Partitioner,
    /// How long records without key stay with one partition where `partitioner` takes one at random for them, as
    /// librdkafka's `sticky.partitioning.linger.ms`. Default 0: each has a partition of its own.
    pub sticky_linger: Duration,
    /// Sequence numbers that let the broker drop repeated batches. Default true where acks is all.
    pub enable_idempotence: bool,
    /// Names the producer across restarts and lets it open transactions; a new producer with the same id fences the
    /// old. Needs idempotence. Default none.
    pub transactional_id: Option<String>,
    /// How long a transaction may be open before it is aborted. Default 60 s; the broker's `transaction.max.timeout.ms`
    /// bounds it.
    pub transaction_timeout: Duration,
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
            retries: u32::MAX,
            request_timeout: Duration::from_secs(30),
            acks_timeout: None,
            max_in_flight: 5,
            compression: Compression::default(),
            partitioner: Partitioner::default(),
            sticky_linger: Duration::ZERO,
            enable_idempotence: true,
            transactional_id: None,
            transaction_timeout: Duration::from_secs(60),
        }
    }
}

impl ProducerConfig {
    /// Until when a batch that was made then may wait, which a partition that is gone since some moment shortens: its
    /// topic was made again with fewer. It is waited for from that moment on as for a broker that does not answer.
    pub fn end_of_wait(&self, created: Instant, gone_since: Option<Instant>) -> Instant {
        let end = created + self.delivery_timeout;
        gone_since.map_or(end, |since| {
            end.min(created.max(since) + self.request_timeout)
        })
    }

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
            if self.retries == 0 {
                return Err(ConfigError::new(
                    "retries",
                    "must be at least 1 with enable_idempotence=True; set enable_idempotence=False to send only once",
                ));
            }
            if self.max_in_flight > 5 {
                return Err(ConfigError::new(
                    "max_in_flight_requests_per_connection",
                    "must be at most 5 with enable_idempotence=True: the broker remembers five batches",
                ));
            }
        }
        if let Some(transactional_id) = &self.transactional_id {
            if transactional_id.is_empty() {
                return Err(ConfigError::new(
                    "transactional_id",
                    "must not be empty; None makes a producer without transactions",
                ));
            }
            if !self.enable_idempotence {
                return Err(ConfigError::new(
                    "enable_idempotence",
                    "must be True with transactional_id, and so acks \"all\"",
                ));
            }
            if self.transaction_timeout.is_zero() || self.transaction_timeout > LONGEST_TRANSACTION
            {
                return Err(ConfigError::new(
                    "transaction_timeout_ms",
                    format!("must be 1 to {} ms", LONGEST_TRANSACTION.as_millis()),
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
            let [delivery, linger, request] =
                [self.delivery_timeout, self.linger, self.request_timeout].map(milliseconds);
            let problem = format!(
                "is {delivery} ms, less than linger_ms={linger} + request_timeout_ms={request}: a batch needs time for \
                 one try; lower request_timeout_ms, too, or raise this one"
            );
            return Err(ConfigError::new("delivery_timeout_ms", problem));
        }
        Ok(Checked(self))
    }
}

/// InitProducerId has an int32 of milliseconds for it.
const LONGEST_TRANSACTION: Duration = Duration::from_millis(i32::MAX as u64);

/// Frames and batches carry 32-bit lengths; half of that leaves room for headers.
const MAX_BATCH: usize = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(config: ProducerConfig) -> &'static str {
        config.check().expect_err("a contradiction").setting
    }

    #[test]
    fn defaults_fit_each_other() {
        assert!(ProducerConfig::default().check().is_ok());
    }

    #[test]
    fn contradictions_name_their_setting() {
        let default = ProducerConfig::default;
        assert_eq!(
            setting(ProducerConfig {
                acks: Acks::None,
                ..default()
            }),
            "acks"
        );
        assert_eq!(
            setting(ProducerConfig {
                max_in_flight: 6,
                ..default()
            }),
            "max_in_flight_requests_per_connection"
        );
        assert_eq!(
            setting(ProducerConfig {
                retries: 0,
                ..default()
            }),
            "retries"
        );
        assert_eq!(
            setting(ProducerConfig {
                buffer_memory: 1,
                ..default()
            }),
            "buffer_memory"
        );
        let unnamed = ProducerConfig {
            transactional_id: Some(String::new()),
            ..default()
        };
        assert_eq!(setting(unnamed), "transactional_id");
        let unnumbered = ProducerConfig {
            transactional_id: Some("payments".to_owned()),
            enable_idempotence: false,
            ..default()
        };
        assert_eq!(setting(unnumbered), "enable_idempotence");
        let timeless = ProducerConfig {
            transactional_id: Some("payments".to_owned()),
            transaction_timeout: Duration::ZERO,
            ..default()
        };
        assert_eq!(setting(timeless), "transaction_timeout_ms");
        let hasty = Duration::from_secs(1);
        assert_eq!(
            setting(ProducerConfig {
                delivery_timeout: hasty,
                ..default()
            }),
            "delivery_timeout_ms"
        );
    }
}
