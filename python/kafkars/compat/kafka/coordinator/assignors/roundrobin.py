"""`RoundRobinPartitionAssignor`, under the path of kafka-python (`kafka.coordinator.assignors.roundrobin`)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from kafkars.compat.kafka.coordinator.assignors import _sharing
from kafkars.compat.kafka.coordinator.assignors.abstract import AbstractPartitionAssignor

__all__ = ["RoundRobinPartitionAssignor"]


class RoundRobinPartitionAssignor(AbstractPartitionAssignor):
    """Assigns the partitions of all topics to members in turn. In groups the engine's own assignor runs."""

    name = "roundrobin"
    version = 0

    @classmethod
    def assign(cls, cluster: Any, members: Any) -> Any:
        """Returns the assignment of each member."""
        said = _sharing.by_member(members)
        wanted = {member: set(_sharing.topics_of(each)) for member, each in said.items()}
        given: dict[str, dict[str, list[int]]] = {member: {} for member in said}
        known = _sharing.partitions_of(cluster, itertools.chain.from_iterable(wanted.values()))
        turns = itertools.cycle(_sharing.in_turn(said))
        for topic, partitions in known.items():
            for partition in partitions:
                member = next(turn for turn in turns if topic in wanted[turn])
                given[member].setdefault(topic, []).append(partition)
        return _sharing.assigned(given)

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> Any:
        """Returns the metadata of a member when it joins."""
        return _sharing.joining(topics)

    @classmethod
    def on_assignment(cls, assignment: Any, generation: int | None = None) -> None:
        """Does nothing."""
