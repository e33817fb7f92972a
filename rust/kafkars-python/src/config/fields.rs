//! The fields of the classes of `kafkars.config`, read by their names. A test compares the lists.

use std::path::PathBuf;

use pyo3::prelude::*;

use super::callbacks::{GivenName, GivenSecret};
use crate::secret_text;

/// Declares a struct that reads attributes of the same names, and the list of those names.
macro_rules! settings {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        pub(crate) struct $name {
            $(pub(super) $field: $type),*
        }

        impl<'py> FromPyObject<'_, 'py> for $name {
            type Error = PyErr;

            fn extract(config: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                Ok(Self { $($field: secret_text::setting(&config, stringify!($field))?),* })
            }
        }

        impl $name {
            /// The fields that are read.
            pub(crate) const FIELDS: &[&str] = &[$(stringify!($field)),*];
        }
    };
}

settings! {
    /// `kafkars.config.ClientConfig`.
    ClientSettings {
        bootstrap_servers: Vec<String>,
        client_id: String,
        request_timeout_ms: f64,
        socket_connection_setup_timeout_ms: f64,
        reconnect_backoff_ms: f64,
        reconnect_backoff_max_ms: f64,
        retry_backoff_ms: f64,
        retry_backoff_max_ms: f64,
        metadata_max_age_ms: f64,
        connections_max_idle_ms: f64,
        receive_message_max_bytes: i64,
        allow_auto_create_topics: bool,
        topic_metadata_propagation_max_ms: f64,
        close_timeout_ms: f64,
        send_buffer_bytes: Option<i64>,
        receive_buffer_bytes: Option<i64>,
        security_protocol: String,
        ssl_ca_location: Option<PathBuf>,
        ssl_ca_pem: Option<String>,
        ssl_crl_location: Option<PathBuf>,
        ssl_certificate_location: Option<PathBuf>,
        ssl_certificate_pem: Option<String>,
        ssl_key_location: Option<PathBuf>,
        ssl_key_pem: Option<GivenSecret>,
        ssl_key_password: Option<GivenSecret>,
        ssl_keystore_location: Option<PathBuf>,
        ssl_keystore_password: Option<GivenSecret>,
        ssl_endpoint_identification_algorithm: String,
        ssl_enabled_protocols: Vec<String>,
        ssl_cipher_suites: Vec<String>,
        sasl_mechanism: Option<String>,
        sasl_username: Option<GivenName>,
        sasl_password: Option<GivenSecret>,
        sasl_oauthbearer_token_provider: Option<Py<PyAny>>,
        sasl_oauthbearer_extensions: Vec<(String, String)>,
        sasl_oauthbearer_token_endpoint_url: Option<String>,
        sasl_oauthbearer_client_id: Option<String>,
        sasl_oauthbearer_client_secret: Option<GivenSecret>,
        sasl_oauthbearer_scope: Option<String>,
        sasl_oauthbearer_token_endpoint_ca_location: Option<PathBuf>,
        sasl_oauthbearer_token_endpoint_ca_pem: Option<String>,
        sasl_kerberos_service_name: Option<String>,
        sasl_kerberos_domain_name: Option<String>,
        sasl_kerberos_principal: Option<String>,
        sasl_kerberos_keytab: Option<PathBuf>,
        sasl_kerberos_ccache: Option<String>,
        sasl_aws_msk_iam_region: Option<String>,
        sasl_aws_msk_iam_access_key_id: Option<String>,
        sasl_aws_msk_iam_secret_access_key: Option<GivenSecret>,
        sasl_aws_msk_iam_session_token: Option<GivenSecret>,
        sasl_aws_msk_iam_profile: Option<String>,
        sasl_aws_msk_iam_credentials_provider: Option<Py<PyAny>>,
    }
}

settings! {
    /// What `kafkars.config.AdminConfig` adds.
    AdminFields {
        default_api_timeout_ms: f64,
    }
}

settings! {
    /// What `kafkars.config.ProducerConfig` adds.
    ProducerFields {
        acks: i16,
        acks_timeout_ms: Option<f64>,
        linger_ms: f64,
        batch_size: i64,
        buffer_memory: i64,
        max_block_ms: f64,
        max_request_size: i64,
        delivery_timeout_ms: f64,
        retries: u32,
        max_in_flight_requests_per_connection: i64,
        compression_type: String,
        compression_level: Option<i32>,
        enable_idempotence: Option<bool>,
        transactional_id: Option<String>,
        transaction_timeout_ms: f64,
        partitioner: Py<PyAny>,
        sticky_partitioning_linger_ms: f64,
        interceptors: Vec<Py<PyAny>>,
        key_serializer: Option<Py<PyAny>>,
        value_serializer: Option<Py<PyAny>>,
    }
}

settings! {
    /// What `kafkars.config.ConsumerConfig` adds.
    ConsumerFields {
        auto_offset_reset: String,
        isolation_level: String,
        max_poll_records: i64,
        fetch_min_bytes: i64,
        fetch_max_wait_ms: f64,
        fetch_max_bytes: i64,
        max_partition_fetch_bytes: i64,
        fetch_buffer_bytes: i64,
        max_decompressed_batch_bytes: i64,
        client_rack: String,
        default_api_timeout_ms: f64,
        stuck_timeout_ms: Option<f64>,
        group_id: Option<String>,
        group_protocol: String,
        group_instance_id: Option<String>,
        group_remote_assignor: Option<String>,
        partition_assignment_strategy: Option<Vec<Py<PyAny>>>,
        session_timeout_ms: Option<f64>,
        heartbeat_interval_ms: Option<f64>,
        max_poll_interval_ms: f64,
        enable_auto_commit: Option<bool>,
        auto_commit_interval_ms: f64,
        key_deserializer: Option<Py<PyAny>>,
        value_deserializer: Option<Py<PyAny>>,
    }
}
