"""Value types of aiokafka (`aiokafka.structs`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from kafkars._kafkars import AiokafkaRecord
from kafkars.compat.aiokafka.errors import KafkaError
from kafkars.types import TopicPartition

__all__ = [
    "BrokerMetadata",
    "ConsumerRecord",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "PartitionMetadata",
    "RecordMetadata",
    "TopicPartition",
]

KT = TypeVar("KT", covariant=True)  # noqa: PLC0105  the name in aiokafka
VT = TypeVar("VT", covariant=True)  # noqa: PLC0105  likewise


@dataclasses.dataclass
class Fields(Generic[KT, VT]):
    """The fields of a record; see `ConsumerRecord`."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    timestamp_type: int
    """0: the producer's, 1: the broker's."""
    key: KT | None
    value: VT | None
    checksum: int | None
    """Always None: a batch has one checksum for all of its records."""
    serialized_key_size: int
    serialized_value_size: int
    headers: Sequence[tuple[str, bytes]]


if TYPE_CHECKING:
    ConsumerRecord = Fields
else:
    # A native class, because there are many records: each refers to its fetched batch until it is changed.
    ConsumerRecord = AiokafkaRecord
    ConsumerRecord.__dataclass_fields__ = Fields.__dataclass_fields__
    ConsumerRecord.__dataclass_params__ = Fields.__dataclass_params__
    ConsumerRecord.__annotations__ = Fields.__annotations__


class BrokerMetadata(NamedTuple):
    """A broker and its address."""

    nodeId: int | str  # noqa: N815  the name programs use
    host: str
    port: int
    rack: str | None


class PartitionMetadata(NamedTuple):
    """A partition and the brokers that have it."""

    topic: str
    partition: int
    leader: int
    """Id of the leader; -1 if there is none."""
    replicas: list[int]
    isr: list[int]
    error: KafkaError | int | None
    """The error code; 0 if there is none."""


class OffsetAndMetadata(NamedTuple):
    """A committed offset of a group, with any text beside it."""

    offset: int
    metadata: str


class RecordMetadata(NamedTuple):
    """The place of a stored record."""

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
