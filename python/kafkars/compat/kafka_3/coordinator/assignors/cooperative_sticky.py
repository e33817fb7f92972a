"""`CooperativeStickyAssignor` (`kafka.coordinator.assignors.cooperative_sticky`)."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from kafkars.compat.kafka.coordinator.assignors import _sharing
from kafkars.compat.kafka.coordinator.assignors.abstract import RebalanceProtocol
from kafkars.compat.kafka.coordinator.assignors.sticky._balance import Balance, StickyAssignorMemberMetadataV1
from kafkars.compat.kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from kafkars.compat.kafka.structs import TopicPartition

__all__ = ["CooperativeStickyAssignor"]


class CooperativeStickyAssignor(StickyPartitionAssignor):
    """Assigns partitions as the sticky assignor does, but none that another member still owns: that member gives
    it back first, and the group rebalances again. In groups the engine's own assignor runs.
    """

    name = "cooperative-sticky"
    version = 1

    def supported_protocols(self) -> list[RebalanceProtocol]:
        """Returns COOPERATIVE: members keep reading during a rebalance."""
        return [RebalanceProtocol.COOPERATIVE]

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> Any:
        """Returns the metadata of a member when it joins, with the partitions it owns."""
        owned: dict[str, list[int]] = {}
        for partition in sorted(cls.member_assignment or ()):
            owned.setdefault(partition.topic, []).append(partition.partition)
        return SimpleNamespace(
            version=cls.version,
            topics=sorted(topics),
            user_data=b"",
            owned_partitions=[SimpleNamespace(topic=topic, partitions=numbers) for topic, numbers in owned.items()],
            generation_id=cls.generation,
        )

    @classmethod
    def parse_member_metadata(cls, metadata: Any) -> StickyAssignorMemberMetadataV1:
        """Returns the subscription of a member and the partitions it owns."""
        said = _sharing.said_by(metadata)
        owned = [
            TopicPartition(each.topic, number)
            for each in getattr(said, "owned_partitions", None) or ()
            for number in each.partitions
        ]
        generation = getattr(said, "generation_id", cls.DEFAULT_GENERATION_ID)
        return StickyAssignorMemberMetadataV1(_sharing.topics_of(metadata), owned, generation)

    @classmethod
    def assign(cls, cluster: Any, members: Any) -> Any:
        """Returns the assignment of each member for this rebalance."""
        said = {member: cls.parse_member_metadata(each) for member, each in _sharing.by_member(members).items()}
        balance = Balance(cluster, said)
        balance.assign()
        cls._latest_partition_movements = balance.movements
        owners = {partition: member for member, each in said.items() for partition in each.partitions}
        given: dict[str, dict[str, list[int]]] = {member: {} for member in said}
        for member in said:
            for topic, numbers in balance.had(member).items():
                kept = [each for each in numbers if owners.get(TopicPartition(topic, each), member) == member]
                if kept:
                    given[member][topic] = kept
        return _sharing.assigned(given)
