"""The protocol between members of a consumer group (`aiokafka.coordinator.protocol`).

Members of newer versions write more fields behind these, which `decode()` leaves.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from kafkars.compat.aiokafka.protocol.struct import Struct
from kafkars.compat.aiokafka.protocol.types import Array, Bytes, Int16, Int32, Schema, String
from kafkars.compat.aiokafka.structs import TopicPartition


class ConsumerProtocolMemberMetadata(Struct):
    """The metadata of a member when it joins."""

    version: int
    subscription: list[str]
    user_data: bytes
    SCHEMA: ClassVar[Schema] = Schema(("version", Int16), ("subscription", Array(String())), ("user_data", Bytes))


class ConsumerProtocolMemberAssignment(Struct):
    """The assignment of a member."""

    class Assignment(NamedTuple):
        """What it has of a topic. What was decoded is a plain tuple of the two."""

        topic: str
        partitions: list[int]

    version: int
    assignment: list[Assignment]
    user_data: bytes
    SCHEMA: ClassVar[Schema] = Schema(
        ("version", Int16),
        ("assignment", Array(("topic", String()), ("partitions", Array(Int32)))),
        ("user_data", Bytes),
    )

    def partitions(self) -> list[TopicPartition]:
        """Returns the assignment as `TopicPartition` objects."""
        return [TopicPartition(topic, partition) for topic, numbers in self.assignment for partition in numbers]


class ConsumerProtocol:
    """The names of the two."""

    PROTOCOL_TYPE = "consumer"
    ASSIGNMENT_STRATEGIES = ("range", "roundrobin")
    METADATA = ConsumerProtocolMemberMetadata
    ASSIGNMENT = ConsumerProtocolMemberAssignment
