"""Settings of `KafkaProducer`, their checks, and their translation to those of kafkars."""

from __future__ import annotations

import itertools
import logging
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from kafkars.compat.kafka import _settings
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.compat.kafka.partitioner import DefaultPartitioner
from kafkars.config.checks import shown

log = logging.getLogger("kafka.producer.kafka")

DEFAULTS: dict[str, Any] = {
    **_settings.SHARED,
    "key_serializer": None,
    "value_serializer": None,
    "enable_idempotence": False,
    "transactional_id": None,
    "transaction_timeout_ms": 60000,
    "delivery_timeout_ms": 120000,
    "acks": 1,
    "bootstrap_topics_filter": set(),
    "compression_type": None,
    "retries": math.inf,
    "batch_size": 16384,
    "linger_ms": 0,
    "partitioner": DefaultPartitioner(),
    "max_block_ms": 60000,
    "max_request_size": 1048576,
}
DEPRECATED = ("buffer_memory",)
CODECS = (None, "gzip", "snappy", "lz4", "zstd")
BUFFER_MEMORY = 33_554_432
MOST_RETRIES = 2**31 - 1

_numbers = itertools.count(1)


def checked(given: Mapping[str, Any], defaults: Mapping[str, Any] = DEFAULTS) -> dict[str, Any]:
    """Returns all settings: the defaults and those given.

    Raises:
        AssertionError: A setting is unknown.
        ValueError: The codec is unknown.
        KafkaConfigurationError: Settings contradict each other.
    """
    given = _settings.without_those_of_2_0(given, defaults)
    for name in DEPRECATED:
        if name in given:
            warnings.warn(f"Deprecated Producer config: {name}", DeprecationWarning, stacklevel=4)
    unknown = sorted(set(given) - set(defaults) - set(DEPRECATED))
    if unknown:
        raise AssertionError(f"Unrecognized configs: {', '.join(unknown)}")
    config = {**defaults, **{name: value for name, value in given.items() if name not in DEPRECATED}}
    if config["client_id"] is None:
        config["client_id"] = f"kafka-python-producer-{next(_numbers)}"
    if config["acks"] == "all":
        config["acks"] = -1
    if config["acks"] not in {0, 1, -1}:
        raise KafkaConfigurationError(f"acks: expected 0, 1, -1 or 'all', not {shown(config['acks'], ('all',))}")
    if config["compression_type"] not in CODECS:
        raise ValueError(
            f"compression_type: {shown(config['compression_type'], filter(None, CODECS))} is none of {', '.join(filter(None, CODECS))}"
        )
    check_idempotence(config, given)
    _settings.check_version(config)
    _settings.check_security(config)
    return config


def check_idempotence(config: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Applies what idempotence and transactions require of other settings, and refuses the rest."""
    if config["transactional_id"]:
        if "enable_idempotence" in given and not given["enable_idempotence"]:
            raise KafkaConfigurationError("transactional_id needs enable_idempotence")
        config["enable_idempotence"] = True
    if not config["enable_idempotence"]:
        return
    if config["retries"] == 0:
        raise KafkaConfigurationError("an idempotent producer needs retries")
    if "max_in_flight_requests_per_connection" not in given:
        config["max_in_flight_requests_per_connection"] = 1
    elif config["max_in_flight_requests_per_connection"] != 1:
        raise KafkaConfigurationError("an idempotent producer needs max_in_flight_requests_per_connection=1")
    if "acks" not in given:
        config["acks"] = -1
    elif config["acks"] != -1:
        raise KafkaConfigurationError("an idempotent producer needs acks='all'")


def of_engine(config: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of `kafkars.Producer`."""
    settings = {
        **_settings.shared(config),
        "acks": "all" if config["acks"] == -1 else config["acks"],
        "linger_ms": config["linger_ms"],
        "batch_size": max(int(config["batch_size"]), 1),
        "buffer_memory": max(int(given.get("buffer_memory") or BUFFER_MEMORY), int(config["max_request_size"])),
        "compression_type": config["compression_type"] or "none",
        "max_block_ms": _settings.milliseconds(config["max_block_ms"]),
        "max_request_size": config["max_request_size"],
        "delivery_timeout_ms": _settings.milliseconds(config["delivery_timeout_ms"]),
        "retries": retries(config["retries"]),
        "max_in_flight_requests_per_connection": config["max_in_flight_requests_per_connection"],
        "enable_idempotence": bool(config["enable_idempotence"]),
    }
    if config["transactional_id"]:
        settings |= {
            "transactional_id": config["transactional_id"],
            "transaction_timeout_ms": config["transaction_timeout_ms"],
        }
    if not isinstance(config["partitioner"], DefaultPartitioner):
        settings["partitioner"] = chosen_by(config["partitioner"])
    return settings


def retries(given: float) -> int:
    """Returns the engine's number of retries; kafka-python's may be infinite or a fraction."""
    return MOST_RETRIES if given >= MOST_RETRIES else max(math.ceil(given), 0)


def chosen_by(partitioner: Callable[..., int]) -> Callable[[bytes | None, int], int]:
    """Adapts a partitioner of kafka-python to the engine; all partitions count as available."""

    def choose(key: bytes | None, count: int) -> int:
        everything = list(range(count))
        return partitioner(key, everything, everything)

    return choose
