"""Settings of `KafkaConsumer`, their checks, and their translation to those of kafkars."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from typing import Any

from kafkars.compat.kafka import _settings
from kafkars.compat.kafka.coordinator._adapter import strategy
from kafkars.compat.kafka.coordinator.assignors.range import RangePartitionAssignor
from kafkars.compat.kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.compat.kafka.version import __version__

log = logging.getLogger("kafka.consumer.group")

DEFAULTS: dict[str, Any] = {
    **_settings.SHARED,
    "client_id": "kafka-python-" + __version__,
    "group_id": None,
    "group_instance_id": None,
    "key_deserializer": None,
    "value_deserializer": None,
    "enable_incremental_fetch_sessions": True,
    "fetch_max_wait_ms": 500,
    "fetch_min_bytes": 1,
    "fetch_max_bytes": 52428800,
    "max_partition_fetch_bytes": 1048576,
    "request_timeout_ms": 305000,
    "auto_offset_reset": "latest",
    "enable_auto_commit": True,
    "auto_commit_interval_ms": 5000,
    "default_offset_commit_callback": lambda offsets, response: True,  # noqa: ARG005  the names programs give
    "check_crcs": True,
    "isolation_level": "read_uncommitted",
    "partition_assignment_strategy": (RangePartitionAssignor, RoundRobinPartitionAssignor),
    "max_poll_records": 500,
    "max_poll_interval_ms": 300000,
    "session_timeout_ms": 10000,
    "heartbeat_interval_ms": 3000,
    "consumer_timeout_ms": math.inf,
    "metric_group_prefix": "consumer",
    "exclude_internal_topics": True,
}
"""Every setting of a consumer with its default."""

SILENT = DEFAULTS["default_offset_commit_callback"]
"""The callback of commits where the program gives none."""
SHORTEST_WAIT = 0.1
"""Seconds that a read waits at least before it looks whether a commit is due."""

RENAMED = {"smallest": "earliest", "largest": "latest"}


def checked(
    given: Mapping[str, Any], defaults: Mapping[str, Any] = DEFAULTS, *, session_is_shorter: bool = True
) -> dict[str, Any]:
    """Returns all settings: the defaults and those given.

    Args:
        given: The program's settings.
        defaults: Every setting with its default.
        session_is_shorter: True if `session_timeout_ms` must be below `request_timeout_ms`.

    Raises:
        KafkaConfigurationError: A setting is unknown, or settings contradict each other.
    """
    given = _settings.without_those_of_2_0(given, defaults)
    unknown = sorted(set(given) - set(defaults))
    if unknown:
        raise KafkaConfigurationError(f"Unrecognized configs: {', '.join(unknown)}")
    config = {**defaults, **given}
    reset = config["auto_offset_reset"]
    if reset in RENAMED:
        log.warning("auto_offset_reset=%r is deprecated, %r is meant", reset, RENAMED[reset])
        config["auto_offset_reset"] = RENAMED[reset]
    wait, request, idle = (
        config["fetch_max_wait_ms"],
        config["request_timeout_ms"],
        config["connections_max_idle_ms"],
    )
    if not wait < request < idle:
        raise KafkaConfigurationError(
            f"connections_max_idle_ms ({idle}) must be larger than request_timeout_ms ({request}), and that larger than "
            f"fetch_max_wait_ms ({wait})"
        )
    if session_is_shorter and config["group_id"] is not None and request <= config["session_timeout_ms"]:
        raise KafkaConfigurationError(
            f"request_timeout_ms ({request}) must be larger than session_timeout_ms ({config['session_timeout_ms']})"
        )
    if config["group_instance_id"] is not None and config["group_id"] is None:
        raise KafkaConfigurationError("group_instance_id needs a group_id")
    _settings.check_version(config)
    _settings.check_security(config)
    return config


class TimedCommits:
    """When the next automatic commit is due, for consumers that make them while they read."""

    def __init__(self, interval_ms: float) -> None:
        self._interval = max(interval_ms, 1) / 1000
        self._due = time.monotonic() + self._interval

    def is_due(self) -> bool:
        """True once in each interval."""
        now = time.monotonic()
        if now < self._due:
            return False
        self._due = now + self._interval
        return True

    def wait(self, seconds: float | None) -> float:
        """Returns the seconds of a wait, of `seconds` at most, that ends when a commit is due."""
        left = max(self._due - time.monotonic(), SHORTEST_WAIT)
        return left if seconds is None else min(left, seconds)


def timed_commits(config: Mapping[str, Any]) -> TimedCommits | None:
    """Returns the commits that the face makes itself, so that the program's `default_offset_commit_callback` hears of
    them. None where the program has none, or nothing is committed: the engine's automatic commits tell nobody.
    """
    is_automatic = config["group_id"] is not None and config["enable_auto_commit"]
    callback = config["default_offset_commit_callback"]
    is_heard = callback is not None and callback is not SILENT
    return TimedCommits(config["auto_commit_interval_ms"]) if is_automatic and is_heard else None


def of_engine(config: Mapping[str, Any], *, members_are_listed: bool = False) -> dict[str, Any]:
    """Returns the settings of `kafkars.Consumer`.

    Args:
        config: All settings.
        members_are_listed: True if assignors take a list of members.
    """
    reset = config["auto_offset_reset"]
    settings = {
        **_settings.shared(config),
        # With any other word a missing position is an error, as in kafka-python.
        "auto_offset_reset": reset if reset in {"earliest", "latest"} else "none",
        "isolation_level": config["isolation_level"],
        "fetch_min_bytes": config["fetch_min_bytes"],
        "fetch_max_bytes": config["fetch_max_bytes"],
        "fetch_max_wait_ms": config["fetch_max_wait_ms"],
        "max_partition_fetch_bytes": config["max_partition_fetch_bytes"],
        # A smaller number is an error of poll(), as in kafka-python.
        "max_poll_records": max(config["max_poll_records"], 1),
        "max_poll_interval_ms": config["max_poll_interval_ms"],
        # With 0 and less kafka-python commits at each poll. Those of the face leave the engine the last commit before
        # partitions go.
        "auto_commit_interval_ms": max(config["auto_commit_interval_ms"], 1)
        if timed_commits(config) is None
        else _settings.LONGEST_MS,
        "default_api_timeout_ms": _settings.milliseconds(config["request_timeout_ms"]),
    }
    if config["group_id"] is None:
        return settings
    return settings | {
        "group_id": config["group_id"],
        "group_instance_id": config["group_instance_id"],
        "session_timeout_ms": config["session_timeout_ms"],
        "heartbeat_interval_ms": config["heartbeat_interval_ms"],
        "enable_auto_commit": bool(config["enable_auto_commit"]),
        "partition_assignment_strategy": strategy(config["partition_assignment_strategy"], as_list=members_are_listed),
    }
