"""Settings of a `KafkaConsumer`."""

from __future__ import annotations

import logging
from typing import Any

from kafkars.compat.kafka_legacy.common import KafkaConfigurationError

log = logging.getLogger("kafka.consumer.kafka")


def unchanged(msg: bytes | None) -> Any:
    """The default deserializer: returns the bytes unchanged."""
    return msg


DEFAULT_CONSUMER_CONFIG: dict[str, Any] = {
    "client_id": "kafka.consumer.kafka",
    "group_id": None,
    "bootstrap_servers": [],
    "socket_timeout_ms": 30 * 1000,
    "fetch_message_max_bytes": 1024 * 1024,
    "auto_offset_reset": "largest",
    "fetch_min_bytes": 1,
    "fetch_wait_max_ms": 100,
    "refresh_leader_backoff_ms": 200,
    "deserializer_class": unchanged,
    "auto_commit_enable": False,
    "auto_commit_interval_ms": 60 * 1000,
    "auto_commit_interval_messages": None,
    "consumer_timeout_ms": -1,
    # The original accepts these and ignores them.
    "socket_receive_buffer_bytes": 64 * 1024,
    "num_consumer_fetchers": 1,
    "default_fetcher_backoff_ms": 1000,
    "queued_max_message_chunks": 10,
    "rebalance_max_retries": 4,
    "rebalance_backoff_ms": 2000,
}

DEPRECATED_CONFIG_KEYS = {"metadata_broker_list": "bootstrap_servers"}


def complete(defaults: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Returns settings with the defaults of those that are not given.

    Raises:
        KafkaConfigurationError: A setting is unknown, or one that another needs is missing.
    """
    settings = dict(given)
    for old, new in DEPRECATED_CONFIG_KEYS.items():
        if old in settings:
            log.warning("Deprecated Kafka Consumer configuration: %s. Please use %s instead.", old, new)
            settings.setdefault(new, settings.pop(old))
            settings.pop(old, None)
    unknown = [name for name in settings if name not in defaults]
    if unknown:
        raise KafkaConfigurationError(f"Unknown configuration key(s): {unknown}")
    settings = {**defaults, **settings}
    if settings["auto_commit_enable"] and not settings["group_id"]:
        raise KafkaConfigurationError(
            "KafkaConsumer configured to auto-commit without required consumer group (group_id)"
        )
    if not settings["bootstrap_servers"]:
        raise KafkaConfigurationError("bootstrap_servers required to configure KafkaConsumer")
    return settings
