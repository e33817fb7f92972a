"""`StickyPartitionAssignor`, under the path of kafka-python (`kafka.coordinator.assignors.sticky.sticky_assignor`)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, ClassVar

from kafkars.compat.kafka.coordinator.assignors import _sharing
from kafkars.compat.kafka.coordinator.assignors.abstract import AbstractPartitionAssignor
from kafkars.compat.kafka.coordinator.assignors.sticky._balance import Balance, StickyAssignorMemberMetadataV1
from kafkars.compat.kafka.coordinator.assignors.sticky.partition_movements import PartitionMovements
from kafkars.compat.kafka.coordinator.protocol import ConsumerProtocolMemberMetadata_v0
from kafkars.compat.kafka.protocol.struct import Struct
from kafkars.compat.kafka.protocol.types import Array, Int32, Schema, String
from kafkars.compat.kafka.structs import TopicPartition

__all__ = ["StickyAssignorMemberMetadataV1", "StickyAssignorUserDataV1", "StickyPartitionAssignor"]

log = logging.getLogger("kafka.coordinator.assignors.sticky.sticky_assignor")


class StickyAssignorUserDataV1(Struct):
    """The user data of a member: its previous assignment and the generation of that."""

    previous_assignment: list[tuple[str, list[int]]]
    generation: int
    SCHEMA: ClassVar[Schema] = Schema(
        ("previous_assignment", Array(("topic", String()), ("partitions", Array(Int32)))), ("generation", Int32)
    )


class StickyPartitionAssignor(AbstractPartitionAssignor):
    """Assigns partitions evenly with as few moves as possible. In groups the engine's own assignor runs."""

    DEFAULT_GENERATION_ID = -1
    name = "sticky"
    version = 0
    member_assignment: ClassVar[list[TopicPartition] | None] = None
    generation: ClassVar[int] = DEFAULT_GENERATION_ID
    _latest_partition_movements: ClassVar[PartitionMovements | None] = None

    @classmethod
    def assign(cls, cluster: Any, members: Any) -> Any:
        """Returns the assignment of each member."""
        said = _sharing.by_member(members)
        balance = Balance(cluster, {member: cls.parse_member_metadata(each) for member, each in said.items()})
        balance.assign()
        cls._latest_partition_movements = balance.movements
        return _sharing.assigned({member: balance.had(member) for member in said})

    @classmethod
    def parse_member_metadata(cls, metadata: Any) -> StickyAssignorMemberMetadataV1:
        """Returns a member's subscription and previous assignment, which is empty if it cannot be decoded."""
        topics = _sharing.topics_of(metadata)
        data = _sharing.said_by(metadata).user_data
        if not data:
            return StickyAssignorMemberMetadataV1(topics, [], cls.DEFAULT_GENERATION_ID)
        try:
            read = StickyAssignorUserDataV1.decode(data)
        except Exception:
            log.exception("what a member had cannot be read")
            return StickyAssignorMemberMetadataV1(topics, [], cls.DEFAULT_GENERATION_ID)
        had = [TopicPartition(topic, number) for topic, numbers in read.previous_assignment for number in numbers]
        return StickyAssignorMemberMetadataV1(topics, had, read.generation)

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> Any:
        """Returns the metadata of a member when it joins, with its previous assignment."""
        return cls._metadata(topics, cls.member_assignment, cls.generation)

    @classmethod
    def _metadata(
        cls, topics: Iterable[str], partitions: Iterable[TopicPartition] | None, generation: int = -1
    ) -> ConsumerProtocolMemberMetadata_v0:
        if partitions is None:
            return _sharing.joining(topics)
        had: dict[str, list[int]] = {}
        for partition in partitions:
            had.setdefault(partition.topic, []).append(partition.partition)
        return _sharing.joining(topics, StickyAssignorUserDataV1([*had.items()], generation).encode())

    @classmethod
    def on_assignment(cls, assignment: Any, generation: int | None = None) -> None:
        """Stores the member's assignment."""
        cls.member_assignment = assignment.partitions()
        if generation is not None:
            cls.generation = generation

    @classmethod
    def on_generation_assignment(cls, generation: int) -> None:
        """Stores the generation."""
        cls.generation = generation
