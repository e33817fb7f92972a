"""Settings of consumers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kafkars.config import checks
from kafkars.config.client import ClientConfig


@dataclass(frozen=True, kw_only=True)
class ConsumerConfig(ClientConfig):
    """How a consumer fetches and what it hands out, besides what every client has."""

    auto_offset_reset: str = "latest"
    """Where to start when a partition has no valid position: "earliest", "latest", or "none" for a `NoOffsetError`."""

    isolation_level: str = "read_uncommitted"
    """"read_committed" hides records of transactions that are open or were aborted."""

    max_poll_records: int = 500
    """Most records that one `poll_batch()` returns."""

    fetch_min_bytes: int = 1
    """The broker waits for this many bytes before it answers."""

    fetch_max_wait_ms: float = 500
    """Longest the broker waits for `fetch_min_bytes`."""

    fetch_max_bytes: int = 52_428_800
    """Most bytes in one answer; a single larger batch still comes through."""

    max_partition_fetch_bytes: int = 1_048_576
    """Most bytes of one partition in one answer; a single larger batch still comes through."""

    fetch_buffer_bytes: int = 33_554_432
    """Bytes of fetched data that may wait for the application, over all partitions."""

    max_decompressed_batch_bytes: int = 268_435_456
    """Largest size of one batch after decompression; above it the batch is a `CorruptRecordError`."""

    client_rack: str = ""
    """Rack of this client, for reading from the nearest replica (KIP-392)."""

    default_api_timeout_ms: float = 60_000
    """Time limit of calls that ask the cluster and are given none."""

    key_deserializer: Callable[[bytes], Any] | None = None
    """Makes a key of bytes when `record.key` is touched; absent keys stay None."""

    value_deserializer: Callable[[bytes], Any] | None = None
    """Makes a value of bytes when `record.value` is touched; tombstones stay None."""

    CHECKS: ClassVar[Mapping[str, Callable[[str, object], Any]]] = {
        **ClientConfig.CHECKS,
        "auto_offset_reset": checks.choice("earliest", "latest", "none"),
        "isolation_level": checks.choice("read_uncommitted", "read_committed"),
        "max_poll_records": checks.whole,
        "fetch_min_bytes": checks.whole,
        "fetch_max_wait_ms": checks.milliseconds,
        "fetch_max_bytes": checks.whole,
        "max_partition_fetch_bytes": checks.whole,
        "fetch_buffer_bytes": checks.whole,
        "max_decompressed_batch_bytes": checks.whole,
        "client_rack": checks.text,
        "default_api_timeout_ms": checks.milliseconds,
        "key_deserializer": checks.optional(checks.function),
        "value_deserializer": checks.optional(checks.function),
    }
