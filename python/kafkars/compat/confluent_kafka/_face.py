"""Settings that the face of confluent_kafka serves itself, because kafkars has no such thing: callbacks, queue limits,
stored offsets.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kafkars.compat.confluent_kafka._values import Values, invalid

if TYPE_CHECKING:
    from dataclasses import dataclass as settings
else:
    from kafkars._frozen import settings

Callback = Callable[..., Any]

SYSLOG_LEVELS = (50, 50, 50, logging.ERROR, logging.WARNING, logging.INFO, logging.INFO, logging.DEBUG)
"""Levels of `logging` for those of syslog, 0 to 7."""


@settings(frozen=True, kw_only=True)
class Face:
    """Settings of the face; times are in seconds."""

    error_cb: Callback | None = None
    """Called with a `KafkaError` that belongs to the client and not to a message or call."""

    stats_cb: Callback | None = None
    """Called with statistics as JSON, every `statistics_interval`."""

    throttle_cb: Callback | None = None
    """Called with a `ThrottleEvent` when a broker has throttled the client."""

    oauth_cb: Callback | None = None
    """Returns tokens for SASL's OAUTHBEARER; called by native threads."""

    logger: logging.Logger | None = None
    """Gets the lines of the log, from `poll()` and `flush()`."""

    log_level: int = logging.INFO
    """Least severe level of lines for `logger`, as `logging` counts."""

    statistics_interval: float = 0.0
    """Pause between calls of `stats_cb`; 0 is never."""

    on_delivery: Callback | None = None
    """Producers: called for messages whose `produce()` named no callback."""

    delivery_report_only_error: bool = False
    """Producers: whether callbacks are called for failures only."""

    queue_max_messages: int = 100_000
    """Producers: messages without report above which `produce()` raises BufferError; 0 is without limit."""

    queue_max_bytes: int = 1024**3
    """Producers: the same for the bytes of messages."""

    on_commit: Callback | None = None
    """Consumers: called with the outcome of automatic and asynchronous commits."""

    enable_partition_eof: bool = False
    """Consumers: whether the end of a partition is a message with the error `_PARTITION_EOF`."""

    enable_auto_commit: bool = True
    """Consumers: whether stored offsets are committed automatically."""

    enable_auto_offset_store: bool = True
    """Consumers: whether the offsets of returned messages are stored; otherwise `store_offsets()` does it."""

    auto_commit_interval: float = 5.0
    """Consumers: pause between automatic commits; with 0 only rebalances and `close()` commit."""


def face_settings(others: Mapping[str, Any], values: Values) -> Face:
    """Returns the face's settings of a configuration."""
    return Face(
        error_cb=callback(others, "error_cb", TypeError),
        stats_cb=callback(others, "stats_cb", TypeError),
        throttle_cb=callback(others, "throttle_cb", ValueError),
        oauth_cb=callback(others, "oauth_cb", TypeError),
        logger=logger_of(others.get("logger")),
        log_level=logging.DEBUG if values["debug"] else SYSLOG_LEVELS[values["log_level"]],
        statistics_interval=values["statistics.interval.ms"] / 1000,
        on_delivery=callback(others, "on_delivery", invalid),
        delivery_report_only_error=values["delivery.report.only.error"],
        queue_max_messages=values["queue.buffering.max.messages"],
        queue_max_bytes=values["queue.buffering.max.kbytes"] * 1024,
        on_commit=callback(others, "on_commit", invalid),
        enable_partition_eof=values["enable.partition.eof"],
        enable_auto_commit=values["enable.auto.commit"],
        enable_auto_offset_store=values["enable.auto.offset.store"],
        auto_commit_interval=values["auto.commit.interval.ms"] / 1000,
    )


def logger_of(given: Any) -> Any:
    """Checks for a logger, or what logs like one."""
    if given is not None and not callable(getattr(given, "log", None)):
        raise TypeError(f"logger: expected a logging.Logger, not a value of type {type(given).__name__}")
    return given


def callback(others: Mapping[str, Any], name: str, error: Callable[[str], Exception]) -> Callback | None:
    """Checks for a function, or None."""
    function = others.get(name)
    if function is not None and not callable(function):
        raise error(f"{name}: expected a function, not a value of type {type(function).__name__}")
    return function
