"""Translation of kafka-python's settings to those of kafkars.

Every setting of kafka-python 2.3 is known. What the engine has no use for is listed in `WITHOUT_EFFECT` with the
reason.
"""

from __future__ import annotations

import logging
import math
import socket
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from kafkars.compat._addresses import PORT, with_port
from kafkars.compat.kafka import _security
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.config.checks import shown

log = logging.getLogger("kafka")

LONGEST_MS = 2**31 - 1

SHARED: dict[str, Any] = {
    "bootstrap_servers": "localhost",
    "client_id": None,
    "request_timeout_ms": 30000,
    "retry_backoff_ms": 100,
    "reconnect_backoff_ms": 50,
    "reconnect_backoff_max_ms": 30000,
    "max_in_flight_requests_per_connection": 5,
    "receive_message_max_bytes": 1000000,
    "receive_buffer_bytes": None,
    "send_buffer_bytes": None,
    "socket_options": [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    "metadata_max_age_ms": 300000,
    "allow_auto_create_topics": True,
    "connections_max_idle_ms": 540000,
    "security_protocol": "PLAINTEXT",
    "ssl_context": None,
    "ssl_check_hostname": True,
    "ssl_cafile": None,
    "ssl_certfile": None,
    "ssl_keyfile": None,
    "ssl_crlfile": None,
    "ssl_password": None,
    "ssl_ciphers": None,
    "api_version": None,
    "api_version_auto_timeout_ms": 2000,
    "metric_reporters": [],
    "metrics_enabled": True,
    "metrics_num_samples": 2,
    "metrics_sample_window_ms": 30000,
    "selector": None,
    "sasl_mechanism": None,
    "sasl_plain_username": None,
    "sasl_plain_password": None,
    "sasl_kerberos_name": None,
    "sasl_kerberos_service_name": "kafka",
    "sasl_kerberos_domain_name": None,
    "sasl_oauth_token_provider": None,
    "socks5_proxy": None,
    "kafka_client": None,
}
"""The settings of every client, with the defaults of kafka-python 2.3."""

WITHOUT_EFFECT = {
    "api_version": "versions are asked of each broker",
    "api_version_auto_timeout_ms": "versions are asked of each broker, within request_timeout_ms",
    "check_crcs": "checksums are always looked at",
    "enable_incremental_fetch_sessions": "sessions are used wherever brokers have them",
    "kafka_client": "connections are the engine's",
    "metric_reporters": "of KafkaAdminClient; producers and consumers tell theirs of the metrics that they have",
    "receive_message_max_bytes": "the engine's own limit is larger",
    "selector": "sockets are the engine's",
    "socket_options": "TCP_NODELAY is always on",
    "bootstrap_topics_filter": "metadata is asked for by topic",
}
"""Settings that are accepted and have no effect, with the reason."""

OF_2_0 = frozenset({"legacy_iterator", "sock_chunk_buffer_count", "sock_chunk_bytes"})
"""Settings of kafka-python 2.0 that 2.3 refuses; sockets and iteration are the engine's."""

NO_PROXY = "connections through a proxy are not offered, and going without one would mislead"
REFUSED = {"socks5_proxy": NO_PROXY, "proxy_url": NO_PROXY}
"""Settings that are refused, with the reason."""


def without_those_of_2_0(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Removes the settings that kafka-python 2.0 has and 2.3 does not, with a warning: programs for either run.
    With the `defaults` of kafka-python 3 they stay, and are refused.
    """
    if "api_version_auto_timeout_ms" not in defaults:
        return dict(given)
    for name in sorted(OF_2_0 & given.keys()):
        warnings.warn(f"{name} is a setting of kafka-python 2.0 and has no effect", DeprecationWarning, stacklevel=5)
    return {name: value for name, value in given.items() if name not in OF_2_0}


def servers(given: str | Sequence[str]) -> list[str]:
    """Returns the addresses with their ports, from comma-separated text or a list.

    Raises:
        TypeError: An address is not a `str`.
        ValueError: There is no address.
    """
    listed = given.split(",") if isinstance(given, str) else list(given)
    if not listed:
        raise ValueError("bootstrap_servers: there is no address")
    for address in listed:
        if not isinstance(address, str):
            raise TypeError(f"bootstrap_servers: expected text, not {type(address).__name__}")
    return [with_port(address.strip()) for address in listed if address.strip()] or [f"localhost:{PORT}"]


def milliseconds(value: float) -> float:
    """Returns a duration in milliseconds; infinity becomes the longest that kafkars accepts."""
    return LONGEST_MS if math.isinf(value) else value


def check_version(config: dict[str, Any]) -> None:
    """Checks `api_version`: None, a tuple of numbers, or text such as "2.5", as in kafka-python."""
    version = config["api_version"]
    if isinstance(version, str):
        parts = version.split(".")
        if version != "auto" and not all(part.isascii() and part.isdigit() for part in parts):
            raise ValueError(f"api_version: expected a tuple of numbers such as (2, 5), not {shown(version)}")
        log.warning("api_version=%r: a tuple of numbers is expected, text is deprecated", version)
        config["api_version"] = None if version == "auto" else tuple(map(int, parts))
    elif version is not None and not isinstance(version, tuple):
        raise KafkaConfigurationError(f"api_version: expected a tuple of numbers such as (2, 5), not {shown(version)}")


def check_security(config: Mapping[str, Any]) -> None:
    """Refuses what kafka-python refuses, and what this face does not support, rather than connecting without it."""
    _security.check(config)
    for name, reason in REFUSED.items():
        if config.get(name) is not None:
            raise KafkaConfigurationError(f"{name}: {reason}")


def shared(config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings that producers, consumers and administration clients have in common."""
    settings = {
        "bootstrap_servers": servers(config["bootstrap_servers"]),
        "request_timeout_ms": milliseconds(config["request_timeout_ms"]),
        "retry_backoff_ms": config["retry_backoff_ms"],
        # kafka-python's pauses between requests do not grow; those between connections do.
        "retry_backoff_max_ms": max(config["retry_backoff_ms"], 1000),
        "reconnect_backoff_ms": config["reconnect_backoff_ms"],
        "reconnect_backoff_max_ms": max(config["reconnect_backoff_ms"], config["reconnect_backoff_max_ms"]),
        "metadata_max_age_ms": config["metadata_max_age_ms"],
        # kafka-python waits for a topic until the time limit of the call.
        "topic_metadata_propagation_max_ms": LONGEST_MS,
        "connections_max_idle_ms": milliseconds(config["connections_max_idle_ms"]),
        "allow_auto_create_topics": config["allow_auto_create_topics"],
        "receive_buffer_bytes": config["receive_buffer_bytes"],
        "send_buffer_bytes": config["send_buffer_bytes"],
        **_security.security(config),
    }
    return settings if config["client_id"] is None else {**settings, "client_id": config["client_id"]}
