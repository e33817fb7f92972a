"""Value types for descriptions of clusters and groups: enumerations, nodes, ids."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from kafkars.compat.confluent_kafka.cimpl import Message, TopicPartition


class Ordered(Enum):
    """An enumeration whose members are ordered by their number."""

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return bool(self.value < other.value)


class ConsumerGroupState(Ordered):
    """The state of a group."""

    UNKNOWN = 0
    UNKOWN = UNKNOWN
    PREPARING_REBALANCING = 1
    COMPLETING_REBALANCING = 2
    STABLE = 3
    DEAD = 4
    EMPTY = 5


class ConsumerGroupType(Ordered):
    """The protocol of a group."""

    UNKNOWN = 0
    CONSUMER = 1
    CLASSIC = 2


class IsolationLevel(Ordered):
    """The isolation level: whether records of open and aborted transactions are read."""

    READ_UNCOMMITTED = 0
    READ_COMMITTED = 1


class ElectionType(Ordered):
    """The kind of an election: which replica becomes the leader."""

    PREFERRED = 0
    UNCLEAN = 1


class AcknowledgeType(Ordered):
    """How a record of a share group is acknowledged."""

    ACCEPT = 1
    RELEASE = 2
    REJECT = 3


class Uuid:
    """An id of 128 bits; as text it is base64 without padding. Kafka's own tools write `-` and `_` in it for
    `+` and `/`.

    Args:
        most_significant_bits: The first half, as a signed number.
        least_significant_bits: The second half, likewise.

    Raises:
        OverflowError: A half does not fit 64 bits.
    """

    __slots__ = ("_bytes",)

    def __init__(self, most_significant_bits: int, least_significant_bits: int) -> None:
        halves = (most_significant_bits, least_significant_bits)
        self._bytes = b"".join(operator.index(half).to_bytes(8, "big", signed=True) for half in halves)

    def get_most_significant_bits(self) -> int:
        """The first half."""
        return int.from_bytes(self._bytes[:8], "big", signed=True)

    def get_least_significant_bits(self) -> int:
        """The second half."""
        return int.from_bytes(self._bytes[8:], "big", signed=True)

    def __str__(self) -> str:
        import base64  # noqa: PLC0415  ids are seldom shown

        return base64.b64encode(self._bytes).rstrip(b"=").decode()

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return self._bytes == other._bytes if isinstance(other, Uuid) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._bytes)


class Node:
    """A broker.

    Args:
        id: Its id.
        host: Its host.
        port: Its port.
        rack: Its rack.
    """

    def __init__(self, id: int, host: str, port: int, rack: str | None = None) -> None:  # noqa: A002  the library's name
        self.id = id
        self.id_string = str(id)
        self.host = host
        self.port = port
        self.rack = rack

    def __str__(self) -> str:
        rack = f"(Rack - {self.rack})" if self.rack else ""
        return f"({self.id}) {self.host}:{self.port} {rack}"


class ConsumerGroupTopicPartitions:
    """Partitions of a group.

    Args:
        group_id: The group.
        topic_partitions: Its partitions; None for all.
    """

    def __init__(self, group_id: str, topic_partitions: list[TopicPartition] | None = None) -> None:
        self.group_id = group_id
        self.topic_partitions = topic_partitions


class TopicCollection:
    """Names of topics.

    Args:
        topic_names: The names.
    """

    def __init__(self, topic_names: list[str]) -> None:
        self.topic_names = topic_names


class TopicPartitionInfo:
    """A partition of a topic that was described.

    Args:
        id: Its number.
        leader: The node that leads it; None while there is none.
        replicas: The nodes that have it.
        isr: Those of them that are in sync.
    """

    def __init__(self, id: int, leader: Node | None, replicas: list[Node], isr: list[Node]) -> None:  # noqa: A002
        self.id = id
        self.leader = leader
        self.replicas = replicas
        self.isr = isr


class ThrottleEvent:
    """The event that a broker has throttled the client.

    Args:
        broker_name: The broker's address.
        broker_id: Its id.
        throttle_time: For how long, in seconds.
    """

    def __init__(self, broker_name: str, broker_id: int, throttle_time: float) -> None:
        self.broker_name = broker_name
        self.broker_id = broker_id
        self.throttle_time = throttle_time

    def __str__(self) -> str:
        return f"{self.broker_name}/{self.broker_id} throttled for {int(self.throttle_time * 1000)} ms"


class Messages:
    """Messages of a share group, as they came.

    Args:
        messages: The messages.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = list(messages)

    def records(self) -> list[Message]:
        """The messages, in a list of the caller's own."""
        return list(self._messages)

    def count(self) -> int:
        """How many there are."""
        return len(self._messages)

    def is_empty(self) -> bool:
        """True if there is none."""
        return not self._messages

    def __len__(self) -> int:
        return len(self._messages)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Messages: ...
    def __getitem__(self, index: int | slice) -> Message | Messages:
        found = self._messages[index]
        return Messages(found) if isinstance(found, list) else found
