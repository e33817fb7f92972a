"""Of each topic a range for each member (`aiokafka.coordinator.assignors.range`)."""

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
    """Members in order get neighbouring partitions of each topic; the first ones get one more where it does not come
    out even.
    """

    name = "range"

    @classmethod
    def assign(
        cls, cluster: ClusterMetadata, members: Mapping[str, ConsumerProtocolMemberMetadata]
    ) -> dict[str, ConsumerProtocolMemberAssignment]:
        """Runs on the leading member."""
        shares: dict[str, dict[str, list[int]]] = {member: {} for member in members}
        for topic in sorted({topic for member in members.values() for topic in member.subscription}):
            partitions = sorted(cluster.partitions_for_topic(topic) or ())
            interested = sorted(member for member, said in members.items() if topic in said.subscription)
            each, more = divmod(len(partitions), len(interested))
            at = 0
            for place, member in enumerate(interested):
                end = at + each + (place < more)
                shares[member][topic] = partitions[at:end]
                at = end
        return cls.answer(shares)
