"""The protocol between members of a consumer group (`aiokafka.coordinator.protocol`)."""

from __future__ import annotations

from typing import NamedTuple

from kafkars.compat.aiokafka.structs import TopicPartition


class ConsumerProtocolMemberMetadata(NamedTuple):
    """The metadata of a member when it joins."""

    version: int
    subscription: list[str]
    user_data: bytes


class ConsumerProtocolMemberAssignment(NamedTuple):
    """The assignment of a member."""

    version: int
    assignment: list[tuple[str, list[int]]]
    user_data: bytes

    def partitions(self) -> list[TopicPartition]:
        """Returns the assignment as `TopicPartition` objects."""
        return [TopicPartition(topic, partition) for topic, numbers in self.assignment for partition in numbers]


class ConsumerProtocol:
    """The names of the two."""

    PROTOCOL_TYPE = "consumer"
    METADATA = ConsumerProtocolMemberMetadata
    ASSIGNMENT = ConsumerProtocolMemberAssignment
