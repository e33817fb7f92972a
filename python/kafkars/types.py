"""Small value types that calls take and return."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)


class TopicPartition(NamedTuple):
    """A topic and one of its partitions. Wherever one is expected, a plain `(topic, partition)` tuple also works."""

    topic: str
    partition: int


class FlushResult(int):
    """The result of `flush()` and `close()` of a producer: the number of records that are not acknowledged yet.

    It is 0 when nothing is left to wait for, so `if producer.flush(30):` asks whether records are still under way;
    `failed` counts those that have failed. `close()` has given up the records that it counts.
    """

    failed: int
    """The number of records that have failed since the last `flush()`: refused by the cluster, too large for their
    topic, of a topic that does not exist, or not acknowledged in time. Each is counted by one call only, also if a
    future or callback has reported it. Not counted are records for which `send()` itself raised, and those that
    `purge()`, an abort or `close()` has given up, which say so themselves."""

    def __new__(cls, left: int = 0, failed: int = 0) -> FlushResult:
        """See the class."""
        made = super().__new__(cls, left)
        made.failed = failed
        return made

    def __repr__(self) -> str:
        return f"FlushResult({int(self)}, failed={self.failed})"

    def __str__(self) -> str:
        return int.__repr__(self)


class OffsetAndTimestamp(NamedTuple):
    """The offset and the timestamp of the first record at or after a time."""

    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    leader_epoch: int | None


class OffsetAndMetadata(NamedTuple):
    """A position of a group in a partition, to commit or as it was committed."""

    offset: int
    """The next offset to read."""
    metadata: str = ""
    """Any text to store with the offset."""
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


class PartitionTrouble(NamedTuple):
    """Why a partition cannot be read at the moment. It is tried again after `retry_backoff_ms`."""

    topic: str
    """Its topic."""
    partition: int
    """Its number in the topic."""
    since: float
    """Seconds since the first failure."""
    failures: int
    """The number of failed attempts since then."""
    operation: str
    """The last attempt: "fetch", "position look-up", "look-up of the committed offset" or "epoch check"."""
    cause: str
    """Why it failed, as a text for people."""


class ConsumerHealth(NamedTuple):
    """The health of a consumer at one moment. Times are in seconds before it; None for what has not happened."""

    connected: bool
    """True if a connection to any broker is open."""
    assigned: int
    """The number of partitions that are assigned."""
    state: str | None
    """State of the membership: "unsubscribed", "joining", "rebalancing", "stable", "leaving", "expelled" or "failed";
    None without a group."""
    last_poll: float | None
    """When the application polled last, accurate to a few seconds."""
    last_heartbeat: float | None
    """When the coordinator confirmed the membership last."""
    last_commit: float | None
    """When a commit succeeded last."""
    stuck_since: float | None
    """For how long brokers have not answered about partitions to be read or about the group; None if all is well."""
    troubles: tuple[PartitionTrouble, ...] = ()
    """Partitions that cannot be read at the moment, the one with the longest trouble first; empty if all is well."""
    unknown_topics: tuple[str, ...] = ()
    """Topics that are subscribed by name and do not exist. They are read as soon as they are created."""


class MemoryUsage(NamedTuple):
    """The memory that a consumer's fetched data takes, in bytes, without records that the application keeps."""

    waiting: int
    """Bytes that were fetched and wait for the application."""
    current: int
    """Bytes of the batch whose records the application is getting."""
    limit: int
    """`fetch_buffer_bytes`: nothing is fetched while `waiting` is at or above it."""


class Watermarks(NamedTuple):
    """The range of offsets a partition holds."""

    low: int
    """Offset of the oldest record."""
    high: int
    """Offset the next record will get."""


class TimestampType(IntEnum):
    """Who set a record's timestamp: the value of `Record.timestamp_type`."""

    CREATE_TIME = 0
    """The producer."""
    LOG_APPEND_TIME = 1
    """The broker, when it stored the record."""


class ProducerRecord(NamedTuple):
    """A record as it was given to `send()`, before it is serialized: what interceptors see.

    A changed one is made with `record._replace(value=...)`.
    """

    topic: str
    value: Any = None
    key: Any = None
    partition: int | None = None
    timestamp: int | None = None
    """Milliseconds since 1970; None for the time of sending."""
    headers: tuple[tuple[str, Any], ...] = ()


class Interceptor:
    """Sees each record of a producer before it is serialized, and what became of it (KIP-42).

    Derive from it and override what you need; any object with one of the two methods will do. They run in the
    application's calls and on its thread or event loop, so they must be quick. An exception in one is logged to
    `kafkars.producer`; the record goes on as the interceptors before left it. Batches of `create_batch()` are not
    shown.
    """

    def on_send(self, record: ProducerRecord) -> ProducerRecord | None:
        """Runs in `send()` for every record.

        Args:
            record: What was given to `send()`, or what the interceptor before made of it.

        Returns:
            The record to be sent instead, or None to leave it as it is.
        """
        del record
        return None

    def on_acknowledgement(self, metadata: Any, error: Exception | None) -> None:
        """Runs for every record once it is stored or has failed, also where `send()` raised.

        With synchronous producers it runs in the next call of `send`, `poll`, `flush`, `close` or of a future's
        `result`; with asyncio on the event loop.

        Args:
            metadata: The `RecordMetadata`, or None where the record was not stored.
            error: Why it was not stored, or None. A `KafkaError` of a broker names `topic` and `partition`.
        """


class Serializer(Protocol[T_contra]):
    """Turns objects into bytes and may add headers: for `key_serializer` or `value_serializer`."""

    def serialize(self, topic: str, value: T_contra, headers: list[tuple[str, Any]], /) -> bytes | None:
        """Returns `value` as bytes.

        Args:
            topic: The record's topic.
            value: The key or the value, never None.
            headers: The record's headers as (name, value) pairs. What is added is sent; the key's serializer runs
                first.
        """
        ...


class Deserializer(Protocol[T_co]):
    """Turns bytes into objects, and sees topic and headers: for `key_deserializer` or `value_deserializer`."""

    def deserialize(self, topic: str, data: bytes, headers: tuple[tuple[str, bytes | None], ...], /) -> T_co:
        """Returns the object that some bytes stand for.

        Args:
            topic: The record's topic.
            data: The key or the value, never None.
            headers: The record's headers as (name, value) pairs.
        """
        ...


class AppendedRecord(NamedTuple):
    """The result of `BatchBuilder.append()` for a record that was added."""

    offset: int
    """Its position in the batch, from 0: the offset of the record minus that of the batch."""
    size: int
    """Its size in the batch in bytes, before compression."""
    timestamp: int
    """Milliseconds since 1970."""


class PartitionInfo(NamedTuple):
    """A partition of a topic, as the cluster describes it."""

    topic: str
    partition: int
    leader: int | None
    """Id of the broker that leads it; None while there is no leader."""
    leader_epoch: int | None
    replicas: tuple[int, ...]
    """Ids of the brokers that store it."""
    in_sync_replicas: tuple[int, ...]
    """Ids of the brokers whose replicas are in sync."""
    offline_replicas: tuple[int, ...]
    """Ids of the brokers whose replicas are offline."""
