//! The classes of `kafkars.config` as checked settings of the engine.

mod callbacks;
mod fields;
mod security;

use std::time::Duration;

use kafkars_client::check_tls;
use kafkars_client::config::{
    Acks, Checked, ClientConfig, ConsumerConfig, GroupConfig, GroupProtocol, IsolationLevel,
    ProducerConfig,
};
use kafkars_core::produce::partitioner::{PARTITIONER_NAMES, Partitioner};
use kafkars_records::{Codec, Compression};
use pyo3::prelude::*;

pub(crate) use self::fields::{AdminFields, ClientSettings, ConsumerFields, ProducerFields};
use crate::deserializers::{Deserializer, Deserializers};
use crate::error;
use crate::lent::LentObjects;
use crate::serializers::Serializer;

/// A whole `AdminConfig`.
pub(crate) struct AdminSettings {
    client: ClientSettings,
    fields: AdminFields,
}

/// A whole `ProducerConfig`.
pub(crate) struct ProducerSettings {
    client: ClientSettings,
    fields: ProducerFields,
}

/// A whole `ConsumerConfig`.
pub(crate) struct ConsumerSettings {
    client: ClientSettings,
    fields: ConsumerFields,
}

impl<'py> FromPyObject<'_, 'py> for AdminSettings {
    type Error = PyErr;

    fn extract(config: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            client: config.extract()?,
            fields: config.extract()?,
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for ProducerSettings {
    type Error = PyErr;

    fn extract(config: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            client: config.extract()?,
            fields: config.extract()?,
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for ConsumerSettings {
    type Error = PyErr;

    fn extract(config: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self {
            client: config.extract()?,
            fields: config.extract()?,
        })
    }
}

impl ClientSettings {
    fn checked(&self, lent: &mut LentObjects) -> PyResult<Checked<ClientConfig>> {
        let config = ClientConfig {
            bootstrap_servers: self.bootstrap_servers.clone(),
            client_id: self.client_id.clone(),
            request_timeout: milliseconds(self.request_timeout_ms),
            connect_timeout: milliseconds(self.socket_connection_setup_timeout_ms),
            reconnect_backoff: milliseconds(self.reconnect_backoff_ms),
            reconnect_backoff_max: milliseconds(self.reconnect_backoff_max_ms),
            retry_backoff: milliseconds(self.retry_backoff_ms),
            retry_backoff_max: milliseconds(self.retry_backoff_max_ms),
            metadata_max_age: milliseconds(self.metadata_max_age_ms),
            connections_max_idle: milliseconds(self.connections_max_idle_ms),
            receive_message_max_bytes: number(
                "receive_message_max_bytes",
                self.receive_message_max_bytes,
            )?,
            allow_auto_create_topics: self.allow_auto_create_topics,
            topic_metadata_propagation_max: milliseconds(self.topic_metadata_propagation_max_ms),
            close_timeout: milliseconds(self.close_timeout_ms),
            send_buffer: self
                .send_buffer_bytes
                .map(|bytes| number("send_buffer_bytes", bytes))
                .transpose()?,
            receive_buffer: self
                .receive_buffer_bytes
                .map(|bytes| number("receive_buffer_bytes", bytes))
                .transpose()?,
            security: security::checked(self, lent)?,
        };
        let checked = config
            .check()
            .map_err(|problem| error::settings(&problem))?;
        if checked.security.protocol.has_tls() {
            // Checked now and not at the first connection, because a wrong path is a wrong setting. Detached, so that
            // only the caller waits for a file that is slow to read.
            Python::attach(|py| py.detach(|| check_tls(&checked.security.tls)))
                .map_err(|problem| error::settings(&problem))?;
        }
        Ok(checked)
    }
}

impl AdminSettings {
    /// The checked config of the client, and the time limit of calls that are given none.
    pub(crate) fn checked(
        &self,
        lent: &mut LentObjects,
    ) -> PyResult<(Checked<ClientConfig>, Duration)> {
        let default_timeout = milliseconds(self.fields.default_api_timeout_ms);
        Ok((self.client.checked(lent)?, default_timeout))
    }
}

impl ProducerSettings {
    /// The checked configs of the client and of the producer.
    pub(crate) fn checked(
        &self,
        py: Python<'_>,
        lent: &mut LentObjects,
    ) -> PyResult<(Checked<ClientConfig>, Checked<ProducerConfig>)> {
        let fields = &self.fields;
        let acks = match fields.acks {
            0 => Acks::None,
            1 => Acks::Leader,
            _ => Acks::All,
        };
        let config = ProducerConfig {
            acks,
            linger: milliseconds(fields.linger_ms),
            batch_size: number("batch_size", fields.batch_size)?,
            buffer_memory: number("buffer_memory", fields.buffer_memory)?,
            max_block: milliseconds(fields.max_block_ms),
            max_request_size: number("max_request_size", fields.max_request_size)?,
            delivery_timeout: milliseconds(fields.delivery_timeout_ms),
            retries: fields.retries,
            request_timeout: milliseconds(self.client.request_timeout_ms),
            acks_timeout: fields.acks_timeout_ms.map(milliseconds),
            max_in_flight: number(
                "max_in_flight_requests_per_connection",
                fields.max_in_flight_requests_per_connection,
            )?,
            compression: compression(&fields.compression_type, fields.compression_level)?,
            partitioner: self.partitioner(py)?,
            sticky_linger: milliseconds(fields.sticky_partitioning_linger_ms),
            enable_idempotence: fields.enable_idempotence.unwrap_or(
                (acks == Acks::All && fields.retries > 0) || fields.transactional_id.is_some(),
            ),
            transactional_id: fields.transactional_id.clone(),
            transaction_timeout: milliseconds(fields.transaction_timeout_ms),
        };
        let config = config
            .check()
            .map_err(|problem| error::settings(&problem))?;
        Ok((self.client.checked(lent)?, config))
    }

    fn partitioner(&self, py: Python<'_>) -> PyResult<Partitioner> {
        let Ok(name) = self.fields.partitioner.extract::<String>(py) else {
            // A function of the application chooses the partition before the record gets to the engine.
            return Ok(Partitioner::default());
        };
        let known = PARTITIONER_NAMES.iter().find(|(known, _)| *known == name);
        match known {
            Some((_, partitioner)) => Ok(*partitioner),
            None => Err(error::setting(
                "partitioner",
                format_args!("{name:?} is not known"),
            )),
        }
    }

    /// The partitioner, if it is a function.
    pub(crate) fn partition_function(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let function = &self.fields.partitioner;
        function
            .bind(py)
            .is_callable()
            .then(|| function.clone_ref(py))
    }

    /// The serializer of keys.
    pub(crate) fn key_serializer(&self, py: Python<'_>) -> PyResult<Option<Serializer>> {
        let given = self.fields.key_serializer.as_ref();
        given
            .map(|given| Serializer::of(given.bind(py)))
            .transpose()
    }

    /// The serializer of values.
    pub(crate) fn value_serializer(&self, py: Python<'_>) -> PyResult<Option<Serializer>> {
        let given = self.fields.value_serializer.as_ref();
        given
            .map(|given| Serializer::of(given.bind(py)))
            .transpose()
    }

    /// The interceptors.
    pub(crate) fn interceptors(&self) -> &[Py<PyAny>] {
        &self.fields.interceptors
    }
}

impl ConsumerSettings {
    /// The checked configs of the client and of the consumer.
    pub(crate) fn checked(
        &self,
        lent: &mut LentObjects,
    ) -> PyResult<(Checked<ClientConfig>, Checked<ConsumerConfig>)> {
        let fields = &self.fields;
        let config = ConsumerConfig {
            fetch_min_bytes: number("fetch_min_bytes", fields.fetch_min_bytes)?,
            fetch_max_bytes: number("fetch_max_bytes", fields.fetch_max_bytes)?,
            max_partition_fetch_bytes: number(
                "max_partition_fetch_bytes",
                fields.max_partition_fetch_bytes,
            )?,
            fetch_max_wait: milliseconds(fields.fetch_max_wait_ms),
            fetch_buffer_bytes: number("fetch_buffer_bytes", fields.fetch_buffer_bytes)?,
            max_poll_records: number("max_poll_records", fields.max_poll_records)?,
            isolation_level: match fields.isolation_level.as_str() {
                "read_committed" => IsolationLevel::ReadCommitted,
                _ => IsolationLevel::ReadUncommitted,
            },
            auto_offset_reset: fields
                .auto_offset_reset
                .parse()
                .map_err(|problem| error::settings(&problem))?,
            client_rack: fields.client_rack.clone(),
            default_api_timeout: milliseconds(fields.default_api_timeout_ms),
            max_decompressed_batch: number(
                "max_decompressed_batch_bytes",
                fields.max_decompressed_batch_bytes,
            )?,
            group: self.group(&fields.client_rack)?,
            stuck_timeout: fields.stuck_timeout_ms.map(milliseconds),
        };
        let config = config
            .check()
            .map_err(|problem| error::settings(&problem))?;
        Ok((self.client.checked(lent)?, config))
    }

    fn group(&self, rack: &str) -> PyResult<Option<Checked<GroupConfig>>> {
        let fields = &self.fields;
        let Some(group_id) = &fields.group_id else {
            return Ok(None);
        };
        let protocol = match fields.group_protocol.as_str() {
            "consumer" => GroupProtocol::Consumer,
            _ => GroupProtocol::Classic,
        };
        self.check_protocol(protocol)?;
        let default = GroupConfig::default();
        let given = |value: Option<f64>, default| value.map_or(default, milliseconds);
        let config = GroupConfig {
            group_id: group_id.clone(),
            group_instance_id: fields.group_instance_id.clone(),
            group_protocol: protocol,
            group_remote_assignor: fields.group_remote_assignor.clone(),
            session_timeout: given(fields.session_timeout_ms, default.session_timeout),
            heartbeat_interval: given(fields.heartbeat_interval_ms, default.heartbeat_interval),
            max_poll_interval: milliseconds(fields.max_poll_interval_ms),
            rebalance_timeout: None,
            client_rack: (!rack.is_empty()).then(|| rack.to_owned()),
            enable_auto_commit: fields.enable_auto_commit.unwrap_or(true),
            auto_commit_interval: milliseconds(fields.auto_commit_interval_ms),
            request_timeout: milliseconds(self.client.request_timeout_ms),
            retry_backoff: milliseconds(self.client.retry_backoff_ms),
            retry_backoff_max: milliseconds(self.client.retry_backoff_max_ms),
        };
        let checked = config.check();
        checked
            .map(Some)
            .map_err(|problem| error::settings(&problem))
    }

    /// Fails for settings that only the classic protocol has, if the other one is set, as Java's client does.
    fn check_protocol(&self, protocol: GroupProtocol) -> PyResult<()> {
        let fields = &self.fields;
        let strategy = fields.partition_assignment_strategy.as_ref();
        if strategy.is_some_and(Vec::is_empty) {
            return Err(error::setting(
                "partition_assignment_strategy",
                "must name at least one assignor, such as \"cooperative-sticky\"",
            ));
        }
        let classic_only = [
            ("session_timeout_ms", fields.session_timeout_ms.is_some()),
            (
                "heartbeat_interval_ms",
                fields.heartbeat_interval_ms.is_some(),
            ),
            ("partition_assignment_strategy", strategy.is_some()),
        ];
        for (setting, given) in classic_only {
            if given && protocol == GroupProtocol::Consumer {
                return Err(error::setting(
                    setting,
                    "cannot be set with group_protocol=\"consumer\": there the broker decides it (KIP-848)",
                ));
            }
        }
        Ok(())
    }

    /// The given assignors in order of preference; empty for the default ones.
    pub(crate) fn assignors(&self) -> &[Py<PyAny>] {
        self.fields
            .partition_assignment_strategy
            .as_deref()
            .unwrap_or_default()
    }

    /// The deserializers, if there is any.
    pub(crate) fn deserializers(self, py: Python<'_>) -> PyResult<Option<Deserializers>> {
        let of = |given: Option<Py<PyAny>>| {
            given
                .map(|given| Deserializer::of(given.bind(py)))
                .transpose()
        };
        let key = of(self.fields.key_deserializer)?;
        let value = of(self.fields.value_deserializer)?;
        Ok((key.is_some() || value.is_some()).then_some(Deserializers { key, value }))
    }
}

fn compression(name: &str, level: Option<i32>) -> PyResult<Compression> {
    let codec = match name {
        "gzip" => Codec::Gzip,
        "snappy" => Codec::Snappy,
        "lz4" => Codec::Lz4,
        "zstd" => Codec::Zstd,
        _ => Codec::None,
    };
    Compression::new(codec, level).map_err(|problem| error::setting("compression_level", problem))
}

/// Converts a number to the type of the setting.
fn number<T: TryFrom<i64>>(name: &str, value: i64) -> PyResult<T> {
    T::try_from(value).map_err(|_| error::setting(name, format_args!("{value} is out of range")))
}

fn milliseconds(value: f64) -> Duration {
    // Checked in Python: finite, not negative, and in range.
    Duration::from_secs_f64(value.clamp(0.0, 1e15) / 1_000.0)
}
