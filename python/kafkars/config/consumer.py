"""Settings of consumers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kafkars.config import checks
from kafkars.config.client import ClientConfig
from kafkars.errors import ConfigError
from kafkars.types import Deserializer

if TYPE_CHECKING:
    from dataclasses import dataclass as settings

    from kafkars.assignor import Assignor
else:
    from kafkars._frozen import settings

ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
"""The built-in assignors, by Kafka's names."""

ISO_DURATION = re.compile(r"P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?")
"""Matches ISO 8601 durations of days, hours, minutes and seconds; months and years have no fixed length."""


def _auto_offset_reset(name: str, value: object) -> str:
    prefix = "by_duration:"
    if isinstance(value, str) and value.startswith(prefix):
        if ISO_DURATION.fullmatch(value[len(prefix) :]) is None:
            raise checks.wrong(name, value, 'an ISO 8601 duration after "by_duration:", such as "by_duration:PT1H"')
        return value
    if isinstance(value, str) and value.lower() in OF_OTHER_LIBRARIES:
        raise ConfigError.of(name, f"{value.lower()!r} is called {OF_OTHER_LIBRARIES[value.lower()]!r} here")
    if isinstance(value, str) and value.lower() in {"earliest", "latest", "none"}:
        return value.lower()
    options = ("earliest", "latest", "none")
    raise checks.wrong(name, value, "'earliest', 'latest', 'none' or 'by_duration:' and a duration", options)


OF_OTHER_LIBRARIES = {
    "smallest": "earliest",
    "beginning": "earliest",
    "largest": "latest",
    "end": "latest",
    "error": "none",
}


def _assignors(name: str, value: object) -> tuple[object, ...]:
    """Checks for assignors, as names or objects, the preferred one first."""
    if isinstance(value, checks.Text):
        value = [each.strip() for each in value.split(",")]
    several = [value] if isinstance(value, str) or not isinstance(value, Iterable) else list(value)
    taken: dict[str, object] = {}
    for each in several:
        known = each if isinstance(each, str) else getattr(each, "name", None)
        if isinstance(each, str) and each not in ASSIGNORS:
            raise checks.wrong(name, each, "one of " + ", ".join(map(repr, ASSIGNORS)) + ", or an Assignor of your own")
        if not isinstance(known, str) or not (isinstance(each, str) or callable(getattr(each, "assign", None))):
            raise checks.wrong(name, each, "the name of an assignor, or an object with `name` and `assign()`")
        if known in taken:
            raise ConfigError.of(name, f"{known!r} is named twice")
        taken[known] = each
    return tuple(taken.values())


@settings(frozen=True, kw_only=True)
class ConsumerConfig(ClientConfig):
    """Settings of how a consumer fetches, and of its group, besides those of every client."""

    auto_offset_reset: str = "latest"
    """Where to start when a partition has no valid position: "earliest", "latest", "by_duration:" and an ISO
    8601 duration for records at most that old (`"by_duration:PT1H"`, KIP-1106), or "none" for a `NoOffsetError`."""

    allow_auto_create_topics: bool = False
    """True if asking for an unknown topic may create it, where the broker allows that."""

    isolation_level: str = "read_uncommitted"
    """"read_committed" hides records of transactions that are open or were aborted."""

    max_poll_records: int = 500
    """Most records that one `poll_batch()` returns."""

    fetch_min_bytes: int = 1
    """The broker waits for this many bytes before it answers."""

    fetch_max_wait_ms: float = 500
    """Longest the broker waits for `fetch_min_bytes`."""

    fetch_max_bytes: int = 52_428_800
    """Most bytes in one fetch response; a single larger batch still comes through."""

    max_partition_fetch_bytes: int = 1_048_576
    """Most bytes of one partition in one fetch response; a single larger batch still comes through."""

    fetch_buffer_bytes: int = 33_554_432
    """Bytes of memory that fetched data of all partitions may take while it waits for the application. A response that
    has just come and the batch that is being decompressed may exceed it."""

    max_decompressed_batch_bytes: int = 268_435_456
    """Largest size of one batch after decompression; above it the batch is a `CorruptRecordError`."""

    client_rack: str = ""
    """Rack of this client, for reading from the nearest replica (KIP-392)."""

    default_api_timeout_ms: float = 60_000
    """Time limit of calls that ask the cluster and have no `timeout` of their own."""

    stuck_timeout_ms: float | None = None
    """A wait for records raises `ConsumerStuckError` when the brokers have not answered for this long. None waits
    on."""

    group_id: str | None = None
    """The id of the group, for `subscribe()` and for committed offsets. None reads without a group."""

    group_protocol: str = "classic"
    """"classic", which every Kafka has, or "consumer" (KIP-848, Kafka 4.0 and newer), in which brokers assign."""

    group_instance_id: str | None = None
    """A name that makes this a static member, which keeps its partitions over a restart (KIP-345)."""

    group_remote_assignor: str | None = None
    """The broker's assignor, "uniform" or "range"; None leaves the choice to the broker. For the consumer protocol
    only."""

    partition_assignment_strategy: str | Assignor | Sequence[str | Assignor] | None = None
    """Assignors, preferred first: "range", "roundrobin", "sticky", "cooperative-sticky", or one of your own
    (`kafkars.Assignor`). None means range, then cooperative-sticky. For the classic protocol only."""

    session_timeout_ms: float | None = None
    """A member without a heartbeat for this long is removed. None means 45,000. For the classic protocol only."""

    heartbeat_interval_ms: float | None = None
    """Pause between heartbeats, which never depend on the application. None means 3,000. For the classic protocol
    only."""

    max_poll_interval_ms: float = 300_000
    """Longest time between two polls: above it the member gives up its partitions, and the next poll raises
    `MaxPollIntervalExceededError`."""

    enable_auto_commit: bool | None = None
    """True if positions are committed automatically, but never those of records that the latest poll has returned. None
    means True with a `group_id`."""

    auto_commit_interval_ms: float = 5_000
    """Pause between automatic commits."""

    key_deserializer: Callable[[bytes], Any] | Deserializer[Any] | None = None
    """Turns the bytes of a key into an object when `record.key` is read; absent keys stay None. A function, or an
    object with `deserialize` (`kafkars.Deserializer`)."""

    value_deserializer: Callable[[bytes], Any] | Deserializer[Any] | None = None
    """Turns the bytes of a value into an object when `record.value` is read; tombstones stay None. A function, or an
    object with `deserialize` (`kafkars.Deserializer`)."""

    CHECKS: ClassVar[Mapping[str, Callable[[str, object], Any]]] = {
        **ClientConfig.CHECKS,
        "auto_offset_reset": _auto_offset_reset,
        "isolation_level": checks.choice("read_uncommitted", "read_committed"),
        "max_poll_records": checks.whole(1),
        "fetch_min_bytes": checks.whole(0, checks.INT32, "bytes"),
        "fetch_max_wait_ms": checks.milliseconds(),
        "fetch_max_bytes": checks.whole(1, checks.INT32, "bytes"),
        "max_partition_fetch_bytes": checks.whole(1, checks.INT32, "bytes"),
        "fetch_buffer_bytes": checks.whole(1, unit="bytes"),
        "max_decompressed_batch_bytes": checks.whole(0, unit="bytes"),
        "client_rack": checks.text,
        "default_api_timeout_ms": checks.milliseconds(),
        "stuck_timeout_ms": checks.optional(checks.milliseconds(above=True)),
        "group_id": checks.optional(checks.text),
        "group_protocol": checks.choice("classic", "consumer"),
        "group_instance_id": checks.optional(checks.text),
        "group_remote_assignor": checks.optional(checks.text),
        "partition_assignment_strategy": checks.optional(_assignors),
        "session_timeout_ms": checks.optional(checks.milliseconds(1, checks.INT32)),
        "heartbeat_interval_ms": checks.optional(checks.milliseconds(1, checks.INT32)),
        "max_poll_interval_ms": checks.milliseconds(1, checks.INT32),
        "enable_auto_commit": checks.optional(checks.flag),
        "auto_commit_interval_ms": checks.milliseconds(1, checks.INT32),
        "key_deserializer": checks.optional(checks.deserializer),
        "value_deserializer": checks.optional(checks.deserializer),
    }

    def __post_init__(self) -> None:
        """Checks that settings of groups come with a `group_id`."""
        super().__post_init__()
        if self.group_id is not None:
            return
        for name in NEED_A_GROUP:
            if getattr(self, name) is not None and getattr(self, name) is not False:
                raise ConfigError.of(name, "has a meaning only in a group; name it with group_id")


NEED_A_GROUP = (
    "group_instance_id",
    "group_remote_assignor",
    "partition_assignment_strategy",
    "session_timeout_ms",
    "heartbeat_interval_ms",
    "enable_auto_commit",
)
"""Settings that are None by default and otherwise need a `group_id`."""
