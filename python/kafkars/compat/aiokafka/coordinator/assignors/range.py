"""The range assignor (`aiokafka.coordinator.assignors.range`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kafkars.compat.aiokafka.coordinator.assignors.abstract import EagerAssignor
from kafkars.compat.aiokafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment,
    ConsumerProtocolMemberMetadata,
)

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.cluster import ClusterMetadata


class RangePartitionAssignor(EagerAssignor):
    """Gives the members consecutive partitions of each topic, in order; if the division leaves a remainder, the first
    members get one more.
    """

    name = "range"

    @classmethod
    def assign(
        cls, cluster: ClusterMetadata, members: Mapping[str, ConsumerProtocolMemberMetadata]
    ) -> dict[str, ConsumerProtocolMemberAssignment]:
        """Runs on the leading member."""
        shares: dict[str, dict[str, list[int]]] = {member: {} for member in members}
        for topic in sorted({topic for member in members.values() for topic in member.subscription}):
            known = cluster.partitions_for_topic(topic)
            if known is None:
                continue
            partitions = sorted(known)
            interested = sorted(member for member, said in members.items() if topic in said.subscription)
            each, more = divmod(len(partitions), len(interested))
            at = 0
            for place, member in enumerate(interested):
                end = at + each + (place < more)
                shares[member][topic] = partitions[at:end]
                at = end
        return cls.answer(shares)
