"""The sticky assignor (`aiokafka.coordinator.assignors.sticky.sticky_assignor`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from kafkars.compat.aiokafka.coordinator.assignors.abstract import EagerAssignor
from kafkars.compat.aiokafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment,
    ConsumerProtocolMemberMetadata,
)
from kafkars.compat.aiokafka.structs import TopicPartition

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.cluster import ClusterMetadata


class StickyAssignorMemberMetadataV1(NamedTuple):
    """The subscription and the previous assignment of a member."""

    subscription: list[str]
    partitions: list[TopicPartition]
    generation: int


class StickyPartitionAssignor(EagerAssignor):
    """Distributes partitions evenly, and moves as few as possible.

    A consumer with this assignor uses kafkars' own, which has the same protocol. The code here is for programs that
    call it, and does not know previous assignments.
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
        """Gives each partition to the subscriber of its topic with the fewest partitions. It runs on the group's
        leader.
        """
        shares: dict[str, dict[str, list[int]]] = {member: {} for member in members}
        counts = dict.fromkeys(sorted(members), 0)
        wanted = {topic: cls.interested(topic, members) for said in members.values() for topic in said.subscription}
        # Topics with few subscribers come first: there is less choice.
        for topic in sorted(wanted, key=lambda topic: (len(wanted[topic]), topic)):
            for partition in sorted(cluster.partitions_for_topic(topic) or ()):
                member = min(wanted[topic], key=lambda member: (counts[member], member))
                shares[member].setdefault(topic, []).append(partition)
                counts[member] += 1
        return cls.answer(shares)

    @staticmethod
    def interested(topic: str, members: Mapping[str, ConsumerProtocolMemberMetadata]) -> list[str]:
        """Returns the members that subscribe to a topic."""
        return [member for member, said in members.items() if topic in said.subscription]

    @classmethod
    def parse_member_metadata(cls, metadata: ConsumerProtocolMemberMetadata) -> StickyAssignorMemberMetadataV1:
        """Returns a member's subscription, without its previous assignment."""
        return StickyAssignorMemberMetadataV1(list(metadata.subscription), [], cls.DEFAULT_GENERATION_ID)

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> ConsumerProtocolMemberMetadata:
        """Returns version and topics."""
        return ConsumerProtocolMemberMetadata(cls.version, list(topics), b"")

    @classmethod
    def on_assignment(cls, assignment: ConsumerProtocolMemberAssignment) -> None:
        """Keeps the assignment."""
        cls.member_assignment = assignment.partitions()

    @classmethod
    def on_generation_assignment(cls, generation: int) -> None:
        """Keeps the group's generation."""
        cls.generation = generation
