"""The settings as keyword arguments, for type checkers and editors only; a test compares them with the dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

from kafkars.assignor import Assignor
from kafkars.config.secret import Secret, SecretValue
from kafkars.config.security import AwsCredentialsProvider, TokenProvider
from kafkars.types import Deserializer, Interceptor, Serializer

CompressionType = Literal["none", "gzip", "snappy", "lz4", "zstd"]


class ClientSettings(TypedDict, total=False):
    """Fields of `ClientConfig`."""

    bootstrap_servers: str | Sequence[str]
    client_id: str
    request_timeout_ms: float
    socket_connection_setup_timeout_ms: float
    reconnect_backoff_ms: float
    reconnect_backoff_max_ms: float
    retry_backoff_ms: float
    retry_backoff_max_ms: float
    metadata_max_age_ms: float
    connections_max_idle_ms: float
    receive_message_max_bytes: int
    allow_auto_create_topics: bool
    topic_metadata_propagation_max_ms: float
    close_timeout_ms: float
    send_buffer_bytes: int | None
    receive_buffer_bytes: int | None
    security_protocol: str
    ssl_ca_location: str | PathLike[str] | None
    ssl_ca_pem: str | None
    ssl_crl_location: str | PathLike[str] | None
    ssl_certificate_location: str | PathLike[str] | None
    ssl_certificate_pem: str | None
    ssl_key_location: str | PathLike[str] | None
    ssl_key_pem: SecretValue | Secret | None
    ssl_key_password: SecretValue | bytes | Secret | None
    ssl_keystore_location: str | PathLike[str] | None
    ssl_keystore_password: SecretValue | Secret | None
    ssl_endpoint_identification_algorithm: str
    ssl_enabled_protocols: str | Sequence[str]
    ssl_cipher_suites: str | Sequence[str]
    sasl_mechanism: str | None
    sasl_username: SecretValue | Secret | None
    sasl_password: SecretValue | Secret | None
    sasl_oauthbearer_token_provider: TokenProvider | None
    sasl_oauthbearer_extensions: str | Mapping[str, str]
    sasl_oauthbearer_token_endpoint_url: str | None
    sasl_oauthbearer_client_id: str | None
    sasl_oauthbearer_client_secret: SecretValue | Secret | None
    sasl_oauthbearer_scope: str | None
    sasl_oauthbearer_token_endpoint_ca_location: str | PathLike[str] | None
    sasl_oauthbearer_token_endpoint_ca_pem: str | None
    sasl_kerberos_service_name: str | None
    sasl_kerberos_domain_name: str | None
    sasl_kerberos_principal: str | None
    sasl_kerberos_keytab: str | PathLike[str] | None
    sasl_kerberos_ccache: str | PathLike[str] | None
    sasl_aws_msk_iam_region: str | None
    sasl_aws_msk_iam_access_key_id: str | None
    sasl_aws_msk_iam_secret_access_key: SecretValue | Secret | None
    sasl_aws_msk_iam_session_token: SecretValue | Secret | None
    sasl_aws_msk_iam_profile: str | None
    sasl_aws_msk_iam_credentials_provider: AwsCredentialsProvider | None


class AdminSettings(ClientSettings, total=False):
    """Fields of `AdminConfig`."""

    default_api_timeout_ms: float


class ProducerSettings(ClientSettings, total=False):
    """Fields of `ProducerConfig`, except the serializers."""

    acks: Literal["all", -1, 0, 1]
    acks_timeout_ms: float | None
    linger_ms: float
    batch_size: int
    buffer_memory: int
    max_block_ms: float
    max_request_size: int
    delivery_timeout_ms: float
    retries: int
    max_in_flight_requests_per_connection: int
    compression_type: CompressionType
    compression_level: int | None
    enable_idempotence: bool | None
    transactional_id: str | None
    transaction_timeout_ms: float
    partitioner: str | Callable[[bytes | None, int], int]
    sticky_partitioning_linger_ms: float
    interceptors: Sequence[Interceptor]


class AllProducerSettings(ProducerSettings, total=False):
    """The same with those that decide on the types of keys and values."""

    key_serializer: Callable[[Any], bytes | None] | Serializer[Any] | None
    value_serializer: Callable[[Any], bytes | None] | Serializer[Any] | None


class ConsumerSettings(ClientSettings, total=False):
    """Fields of `ConsumerConfig`, except the deserializers."""

    auto_offset_reset: str
    isolation_level: Literal["read_uncommitted", "read_committed"]
    max_poll_records: int
    fetch_min_bytes: int
    fetch_max_wait_ms: float
    fetch_max_bytes: int
    max_partition_fetch_bytes: int
    fetch_buffer_bytes: int
    max_decompressed_batch_bytes: int
    client_rack: str
    default_api_timeout_ms: float
    stuck_timeout_ms: float | None
    group_id: str | None
    group_protocol: Literal["classic", "consumer"]
    group_instance_id: str | None
    group_remote_assignor: str | None
    partition_assignment_strategy: str | Assignor | Sequence[str | Assignor] | None
    session_timeout_ms: float | None
    heartbeat_interval_ms: float | None
    max_poll_interval_ms: float
    enable_auto_commit: bool | None
    auto_commit_interval_ms: float


class AllConsumerSettings(ConsumerSettings, total=False):
    """The same with those that decide on the types of keys and values."""

    key_deserializer: Callable[[bytes], Any] | Deserializer[Any] | None
    value_deserializer: Callable[[bytes], Any] | Deserializer[Any] | None
