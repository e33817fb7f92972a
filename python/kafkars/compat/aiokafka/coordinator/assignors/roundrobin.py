"""The round-robin assignor (`aiokafka.coordinator.assignors.roundrobin`)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import TYPE_CHECKING

from kafkars.compat.aiokafka.coordinator.assignors.abstract import EagerAssignor
from kafkars.compat.aiokafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment,
    ConsumerProtocolMemberMetadata,
)

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.cluster import ClusterMetadata


class RoundRobinPartitionAssignor(EagerAssignor):
    """Gives the members one partition each in turn, over all topics; a member that does not subscribe to the topic is
    skipped.
    """

    name = "roundrobin"

    @classmethod
    def assign(
        cls, cluster: ClusterMetadata, members: Mapping[str, ConsumerProtocolMemberMetadata]
    ) -> dict[str, ConsumerProtocolMemberAssignment]:
        """Runs on the leading member."""
        shares: dict[str, dict[str, list[int]]] = {member: {} for member in members}
        turns = cycle(sorted(members))
        for topic in sorted({topic for member in members.values() for topic in member.subscription}):
            for partition in sorted(cluster.partitions_for_topic(topic) or ()):
                member = next(member for member in turns if topic in members[member].subscription)
                shares[member].setdefault(topic, []).append(partition)
        return cls.answer(shares)
