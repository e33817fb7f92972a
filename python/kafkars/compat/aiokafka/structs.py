"""Small values of aiokafka (`aiokafka.structs`)."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

from kafkars.compat.aiokafka.errors import KafkaError
from kafkars.types import TopicPartition

__all__ = [
    "BrokerMetadata",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "PartitionMetadata",
    "RecordMetadata",
    "TopicPartition",
]

KT = TypeVar("KT", covariant=True)  # noqa: PLC0105  the name in aiokafka
VT = TypeVar("VT", covariant=True)  # noqa: PLC0105  likewise


class BrokerMetadata(NamedTuple):
    """Where a broker listens."""

    nodeId: int | str  # noqa: N815  the name programs use
    host: str
    port: int
    rack: str | None


class PartitionMetadata(NamedTuple):
    """Who has a partition."""

    topic: str
    partition: int
    leader: int
    """Number of the leading broker; -1 where there is none."""
    replicas: list[int]
    isr: list[int]
    error: KafkaError | None


class OffsetAndMetadata(NamedTuple):
    """A position of a group in a partition, with any text beside it."""

    offset: int
    metadata: str


class RecordMetadata(NamedTuple):
    """Where a record was stored."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    timestamp: int | None
    """Milliseconds since 1970."""
    timestamp_type: int
    """0: the producer's, 1: the broker's."""
    log_start_offset: int | None


class OffsetAndTimestamp(NamedTuple):
    """The first record at or after a time."""

    offset: int
    timestamp: int | None
    """Milliseconds since 1970."""
