"""Small values that go in and out of calls."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class TopicPartition(NamedTuple):
    """A topic and one of its partitions. Wherever one is expected, a plain `(topic, partition)` tuple also works."""

    topic: str
    partition: int


class OffsetAndTimestamp(NamedTuple):
    """The first record at or after a time: where it is and when it says it was written."""

    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    leader_epoch: int | None


class OffsetAndMetadata(NamedTuple):
    """A position of a group in a partition, as it is committed."""

    offset: int
    """The next offset to read."""
    metadata: str = ""
    """Any text to keep beside it."""
    leader_epoch: int | None = None
    """Leader epoch of the last record read (KIP-320), where known."""


class ConsumerGroupMetadata(NamedTuple):
    """A consumer's membership of its group, as `Consumer.group_metadata()` gives it, for `send_offsets_to_transaction`.

    It lets the group refuse positions of a member that has lost its partitions meanwhile (KIP-447). Made by hand with
    the group's id alone, it commits for a group without members.
    """

    group_id: str
    generation_id: int = -1
    """Generation of the classic protocol, member epoch of KIP-848; -1 outside of a membership."""
    member_id: str = ""
    group_instance_id: str | None = None


class ConsumerHealth(NamedTuple):
    """One look at a consumer. Times are in seconds before the look; None where it has not happened."""

    connected: bool
    """Whether a connection to any broker is open."""
    assigned: int
    """How many partitions are assigned."""
    state: str | None
    """How far membership is: "unsubscribed", "joining", "rebalancing", "stable", "leaving", "expelled" or "failed"; None
    without a group."""
    last_poll: float | None
    """When the application polled last, to a few seconds."""
    last_heartbeat: float | None
    """When the coordinator confirmed the membership last."""
    last_commit: float | None
    """When a commit succeeded last."""
    stuck_since: float | None
    """For how long brokers have not answered for what is to be read, or for the group; None where all is well."""


class MemoryUsage(NamedTuple):
    """What a consumer's fetched data holds in memory, in bytes. Records that the application keeps are not counted."""

    waiting: int
    """Fetched and waiting for the application."""
    current: int
    """The batch that records are being handed out of."""
    limit: int
    """`fetch_buffer_bytes`: nothing is fetched while `waiting` is at or above it."""


class Watermarks(NamedTuple):
    """The range of offsets a partition holds."""

    low: int
    """Offset of the oldest record."""
    high: int
    """Offset the next record will get."""


class TimestampType(IntEnum):
    """Who set a record's timestamp, as found in `Record.timestamp_type`."""

    CREATE_TIME = 0
    """The producer."""
    LOG_APPEND_TIME = 1
    """The broker, when it stored the record."""


class AppendedRecord(NamedTuple):
    """What `BatchBuilder.append()` says of a record it has taken."""

    offset: int
    """Its place in the batch, from 0: the offset it gets is as far from the batch's."""
    size: int
    """Its bytes in the batch, before compression."""
    timestamp: int
    """Milliseconds since 1970."""


class PartitionInfo(NamedTuple):
    """One partition of a topic, as the cluster describes it."""

    topic: str
    partition: int
    leader: int | None
    """Id of the broker that leads it, or None while an election is under way."""
    leader_epoch: int | None
    replicas: tuple[int, ...]
    """Ids of the brokers that store it."""
    in_sync_replicas: tuple[int, ...]
    """Ids of those that have all of it."""
    offline_replicas: tuple[int, ...]
    """Ids of those that are down."""
