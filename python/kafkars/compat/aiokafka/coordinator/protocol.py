"""What members of a group tell each other (`aiokafka.coordinator.protocol`)."""

from __future__ import annotations

from typing import NamedTuple

from kafkars.compat.aiokafka.structs import TopicPartition


class ConsumerProtocolMemberMetadata(NamedTuple):
    """What a member says of itself when it joins."""

    version: int
    subscription: list[str]
    user_data: bytes


class ConsumerProtocolMemberAssignment(NamedTuple):
    """What a member gets."""

    version: int
    assignment: list[tuple[str, list[int]]]
    user_data: bytes

    def partitions(self) -> list[TopicPartition]:
        """The same as partitions."""
        return [TopicPartition(topic, partition) for topic, numbers in self.assignment for partition in numbers]


class ConsumerProtocol:
    """The names of the two."""

    PROTOCOL_TYPE = "consumer"
    METADATA = ConsumerProtocolMemberMetadata
    ASSIGNMENT = ConsumerProtocolMemberAssignment
