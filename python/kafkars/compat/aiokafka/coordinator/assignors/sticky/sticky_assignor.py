"""The sticky assignor (`aiokafka.coordinator.assignors.sticky.sticky_assignor`)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from kafkars._kafkars import sticky_assignment
from kafkars.compat.aiokafka.coordinator.assignors.abstract import EagerAssignor
from kafkars.compat.aiokafka.coordinator.assignors.sticky.user_data import StickyAssignorUserDataV1, by_topic
from kafkars.compat.aiokafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment,
    ConsumerProtocolMemberMetadata,
)
from kafkars.compat.aiokafka.structs import TopicPartition

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.cluster import ClusterMetadata

log = logging.getLogger("aiokafka.coordinator.assignors.sticky.sticky_assignor")


class StickyAssignorMemberMetadataV1(NamedTuple):
    """The subscription and the previous assignment of a member."""

    subscription: list[str]
    partitions: list[TopicPartition]
    generation: int


class StickyPartitionAssignor(EagerAssignor):
    """Distributes partitions evenly, and moves as few as possible.

    A consumer with this assignor uses kafkars' own, and so does `assign()`. As in aiokafka the class itself remembers
    the last assignment that it was told.
    """

    DEFAULT_GENERATION_ID = -1
    name = "sticky"
    version = 0
    member_assignment: ClassVar[list[TopicPartition] | None] = None
    generation: ClassVar[int] = DEFAULT_GENERATION_ID

    @classmethod
    def assign(
        cls, cluster: ClusterMetadata, members: Mapping[str, ConsumerProtocolMemberMetadata]
    ) -> dict[str, ConsumerProtocolMemberAssignment]:
        """Gives the members partitions, so that none has two more than another one that could take one of them. It runs
        on the group's leader.
        """
        said = {member: cls.parse_member_metadata(metadata) for member, metadata in members.items()}
        wanted = {topic for member in said.values() for topic in member.subscription}
        numbers = {topic: sorted(cluster.partitions_for_topic(topic) or ()) for topic in wanted}
        # The engine counts partitions from 0; a cluster that a program has made may have others.
        places = {(topic, number): (topic, place) for topic in wanted for place, number in enumerate(numbers[topic])}
        given = sticky_assignment(
            {topic: len(partitions) for topic, partitions in numbers.items()},
            {
                member: (
                    set(each.subscription),
                    [places[partition] for partition in each.partitions if partition in places],
                    each.generation,
                )
                for member, each in said.items()
            },
        )
        return cls.answer(
            {
                member: dict(by_topic((topic, numbers[topic][place]) for topic, place in given[member]))
                for member in members
            }
        )

    @classmethod
    def parse_member_metadata(cls, metadata: ConsumerProtocolMemberMetadata) -> StickyAssignorMemberMetadataV1:
        """Returns a member's subscription and previous assignment; user data that cannot be read is none."""
        had: list[TopicPartition] = []
        generation = cls.DEFAULT_GENERATION_ID
        if metadata.user_data:
            try:
                told = StickyAssignorUserDataV1.decode(metadata.user_data)
                had = [
                    TopicPartition(topic, number) for topic, numbers in told.previous_assignment for number in numbers
                ]
                generation = told.generation
            # A list that is none (null) is no list.
            except (TypeError, ValueError) as problem:
                log.error("Could not parse member data: %r", problem)  # noqa: TRY400  the cause is in the text
        return StickyAssignorMemberMetadataV1(list(metadata.subscription), had, generation)

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """Returns version, topics, and the last assignment as user data."""
        return cls._metadata(topics, cls.member_assignment, cls.generation)

    @classmethod
    def _metadata(
        cls, topics: Iterable[str], member_assignment_partitions: list[TopicPartition] | None, generation: int = -1
    ) -> ConsumerProtocolMemberMetadata:
        if member_assignment_partitions is None:
            return super().metadata(topics)
        told = StickyAssignorUserDataV1(by_topic(member_assignment_partitions), generation)
        return ConsumerProtocolMemberMetadata(cls.version, list(topics), told.encode())

    @classmethod
    def on_assignment(cls, assignment: ConsumerProtocolMemberAssignment) -> None:
        """Keeps the assignment."""
        cls.member_assignment = assignment.partitions()

    @classmethod
    def on_generation_assignment(cls, generation: int) -> None:
        """Keeps the group's generation."""
        cls.generation = generation
