"""`RangePartitionAssignor`, under the path of kafka-python (`kafka.coordinator.assignors.range`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafkars.compat.kafka.coordinator.assignors import _sharing
from kafkars.compat.kafka.coordinator.assignors.abstract import AbstractPartitionAssignor

__all__ = ["RangePartitionAssignor"]


class RangePartitionAssignor(AbstractPartitionAssignor):
    """Assigns each member a range of consecutive partitions of each topic. In groups the engine's own assignor runs."""

    name = "range"
    version = 0

    @classmethod
    def assign(cls, cluster: Any, members: Any) -> Any:
        """Returns the assignment of each member."""
        said = _sharing.by_member(members)
        order = _sharing.in_turn(said)
        wanted = {member: _sharing.topics_of(said[member]) for member in order}
        given: dict[str, dict[str, list[int]]] = {member: {} for member in said}
        known = _sharing.partitions_of(cluster, (topic for topics in wanted.values() for topic in topics))
        for topic, partitions in known.items():
            takers = [member for member, topics in wanted.items() if topic in topics]
            each, more = divmod(len(partitions), len(takers))
            at = 0
            for place, member in enumerate(takers):
                count = each + (place < more)
                given[member][topic] = partitions[at : at + count]
                at += count
        return _sharing.assigned(given)

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> Any:
        """Returns the metadata of a member when it joins."""
        return _sharing.joining(topics)

    @classmethod
    def on_assignment(cls, assignment: Any, generation: int | None = None) -> None:
        """Does nothing."""
