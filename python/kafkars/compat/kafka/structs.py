"""Small values of kafka-python (`kafka.structs`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from kafkars.types import TopicPartition

__all__ = [
    "BrokerMetadata",
    "ConsumerGroupMetadata",
    "GroupInformation",
    "MemberInformation",
    "MemberState",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "PartitionMetadata",
    "RetryOptions",
    "TopicPartition",
    "TopicPartitionReplica",
]


class BrokerMetadata(NamedTuple):
    """A broker's id, address and rack."""

    nodeId: int | str  # noqa: N815  the name programs use
    host: str
    port: int
    rack: str | None


class PartitionMetadata(NamedTuple):
    """A partition's leader and replicas."""

    topic: str
    partition: int
    leader: int
    """The id of the leader; -1 if there is none."""
    leader_epoch: int
    replicas: list[int]
    isr: list[int]
    offline_replicas: list[int]
    error: Any


class OffsetAndMetadata(NamedTuple):
    """A committed offset with metadata, which is any text.

    `leader_epoch` may be left out, as programs of kafka-python 2.0 do.
    """

    # kafka-python 3 has defaults for all of them, 2 for none.
    offset: Any = None
    metadata: str | None = ""
    leader_epoch: int = -1
    """The leader epoch of the last consumed record (KIP-320); -1 if unknown."""


class OffsetAndTimestamp(NamedTuple):
    """The first record at or after a time."""

    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    leader_epoch: int = -1


class MemberInformation(NamedTuple):
    """A member of a group, as its coordinator describes it."""

    member_id: str
    client_id: str
    client_host: str
    member_metadata: Any
    member_assignment: Any


class GroupInformation(NamedTuple):
    """A group, as its coordinator describes it."""

    error_code: int
    group: str
    state: str
    protocol_type: str
    protocol: str
    members: list[MemberInformation]
    authorized_operations: Any


class TopicPartitionReplica(NamedTuple):
    """A replica of a partition. A name of kafka-python 3."""

    topic: str
    partition: int
    broker_id: int


class MemberState:
    """The state of a member. A name of kafka-python 3."""

    UNJOINED = "<unjoined>"
    REBALANCING = "<rebalancing>"
    STABLE = "<stable>"


class ConsumerGroupMetadata(NamedTuple):
    """A member of a group, as producers name it in transactions (KIP-447). A name of kafka-python 3."""

    group_id: str | None = None
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    state: str = MemberState.UNJOINED


class RetryOptions(NamedTuple):
    """Retry settings of kafka-python 1; unused."""

    limit: int
    backoff_ms: int
    retry_on_timeouts: bool
