"""The protocol between members of a consumer group (`kafka.coordinator.protocol`)."""

from __future__ import annotations

from typing import ClassVar

from kafkars.compat.kafka.protocol.struct import Struct
from kafkars.compat.kafka.protocol.types import Array, Bytes, Int16, Int32, Schema, String
from kafkars.compat.kafka.structs import TopicPartition

__all__ = [
    "ConsumerProtocol",
    "ConsumerProtocolMemberAssignment",
    "ConsumerProtocolMemberAssignment_v0",
    "ConsumerProtocolMemberMetadata",
    "ConsumerProtocolMemberMetadata_v0",
    "ConsumerProtocol_v0",
]


class ConsumerProtocolMemberMetadata_v0(Struct):  # noqa: N801  the name programs use
    """The subscription of a member."""

    version: int
    topics: list[str]
    user_data: bytes | None
    SCHEMA: ClassVar[Schema] = Schema(("version", Int16), ("topics", Array(String())), ("user_data", Bytes))

    @property
    def subscription(self) -> list[str]:
        """The topics, under their name in kafka-python 2.0."""
        return self.topics


class ConsumerProtocolMemberAssignment_v0(Struct):  # noqa: N801
    """The assignment of a member."""

    version: int
    assignment: list[tuple[str, list[int]]]
    user_data: bytes | None
    SCHEMA: ClassVar[Schema] = Schema(
        ("version", Int16),
        ("assignment", Array(("topic", String()), ("partitions", Array(Int32)))),
        ("user_data", Bytes),
    )

    def partitions(self) -> list[TopicPartition]:
        """Returns the assignment as a list of `TopicPartition`."""
        return [TopicPartition(topic, partition) for topic, numbers in self.assignment for partition in numbers]


# Their names in kafka-python 2.0.
ConsumerProtocolMemberMetadata = ConsumerProtocolMemberMetadata_v0
ConsumerProtocolMemberAssignment = ConsumerProtocolMemberAssignment_v0


class ConsumerProtocol_v0:  # noqa: N801
    """The classes of metadata and assignment."""

    PROTOCOL_TYPE = "consumer"
    METADATA = ConsumerProtocolMemberMetadata_v0
    ASSIGNMENT = ConsumerProtocolMemberAssignment_v0


ConsumerProtocol = ConsumerProtocol_v0
