"""The settings of a consumer: what the inner one is made with, and what the library keeps of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from kafkars.compat.aiokafka._connection import Connection
from kafkars.config.checks import shown

log = logging.getLogger("aiokafka.consumer.fetcher")

RESETS = ("earliest", "latest", "none")

KEPT = (
    "auto_commit_interval_ms",
    "auto_offset_reset",
    "check_crcs",
    "client_rack",
    "enable_auto_commit",
    "exclude_internal_topics",
    "fetch_max_bytes",
    "fetch_max_wait_ms",
    "fetch_min_bytes",
    "group_instance_id",
    "heartbeat_interval_ms",
    "isolation_level",
    "key_deserializer",
    "max_partition_fetch_bytes",
    "max_poll_interval_ms",
    "max_poll_records",
    "partition_assignment_strategy",
    "request_timeout_ms",
    "retry_backoff_ms",
    "session_timeout_ms",
    "value_deserializer",
)
"""What aiokafka keeps as attributes of these names, with an underscore; programs, and tests of programs, read them."""


def connection_of(given: Mapping[str, Any]) -> Connection:
    """Returns the settings that all clients have."""
    return Connection(**{each.name: given[each.name] for each in fields(Connection)})


def kept(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the attributes in which aiokafka keeps settings."""
    rebalance, session = given["rebalance_timeout_ms"], given["session_timeout_ms"]
    return {
        **{f"_{name}": given[name] for name in KEPT},
        "_consumer_timeout": given["consumer_timeout_ms"] / 1000,
        "_group_id": given["group_id"] or None,
        "_rebalance_timeout_ms": session if rebalance is None else rebalance,
    }


def engine_settings(given: Mapping[str, Any], assignors: tuple[Any, ...]) -> dict[str, Any]:
    """Returns settings of `kafkars.aio.Consumer`, without those of the connection."""
    settings: dict[str, Any] = {
        "auto_offset_reset": reset_of(given["auto_offset_reset"]),
        "isolation_level": given["isolation_level"],
        "fetch_min_bytes": min(given["fetch_min_bytes"], given["fetch_max_bytes"]),
        "fetch_max_bytes": given["fetch_max_bytes"],
        "fetch_max_wait_ms": given["fetch_max_wait_ms"],
        "max_partition_fetch_bytes": given["max_partition_fetch_bytes"],
        "max_poll_interval_ms": given["max_poll_interval_ms"],
        # 0 means whenever there is something to commit; kafkars has 1 ms as its smallest interval.
        "auto_commit_interval_ms": given["auto_commit_interval_ms"] or 1,
        "client_rack": given["client_rack"] or "",
        "default_api_timeout_ms": given["request_timeout_ms"],
    }
    if not given["group_id"]:
        return settings
    session_timeout_ms = given["session_timeout_ms"]
    return settings | {
        "group_id": given["group_id"],
        "group_instance_id": given["group_instance_id"],
        "session_timeout_ms": session_timeout_ms,
        # aiokafka does not compare the two: an interval that would end the session is shortened.
        "heartbeat_interval_ms": min(given["heartbeat_interval_ms"], max(int(session_timeout_ms / 3), 1)),
        "enable_auto_commit": bool(given["enable_auto_commit"]),
        "partition_assignment_strategy": assignors,
    }


def reset_of(word: object) -> str:
    """Returns where reading begins, in whatever case it is written; "none" for what is no such word."""
    lower = word.lower() if isinstance(word, str) else None
    return lower if lower in RESETS else "none"


def warn_of_reset(word: object) -> None:
    """Says in the log that a word does not tell where reading begins."""
    if not isinstance(word, str) or word.lower() not in RESETS:
        log.warning("auto_offset_reset: %s is none of %s; 'none' is used", shown(word, RESETS), ", ".join(RESETS))
