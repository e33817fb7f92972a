"""Partitions that were moved to another member (`kafka.coordinator.assignors.sticky.partition_movements`)."""

from __future__ import annotations

from kafkars.compat.kafka.structs import TopicPartition

__all__ = ["PartitionMovements"]

Pair = tuple[str, str]


class PartitionMovements:
    """Records the first and the current owner of moved partitions."""

    def __init__(self) -> None:
        self._pairs: dict[TopicPartition, Pair] = {}

    def move_partition(self, partition: TopicPartition, old_consumer: str, new_consumer: str) -> None:
        """Records the move of a partition; one that returns has not moved."""
        first, _ = self._pairs.pop(partition, (old_consumer, old_consumer))
        if first != new_consumer:
            self._pairs[partition] = (first, new_consumer)

    def are_sticky(self) -> bool:
        """True if no members have exchanged partitions of one topic, directly or in a cycle."""
        return not self.circle()

    def circle(self) -> list[TopicPartition]:
        """Returns the partitions of one topic that moved in a cycle of members, needlessly; empty if
        there are none.
        """
        topics: dict[str, dict[str, dict[str, TopicPartition]]] = {}
        for partition, (source, target) in self._pairs.items():
            topics.setdefault(partition.topic, {}).setdefault(source, {}).setdefault(target, partition)
        for moves in topics.values():
            for source in moves:
                found = self._way(moves, source, source)
                if found:
                    return found
        return []

    @staticmethod
    def _way(moves: dict[str, dict[str, TopicPartition]], source: str, target: str) -> list[TopicPartition]:
        """Returns the partitions of a shortest path of moves from one member to another."""
        ways: dict[str, list[TopicPartition]] = {source: []}
        waiting = [source]
        for member in waiting:
            for following, partition in moves.get(member, {}).items():
                way = [*ways[member], partition]
                if following == target:
                    return way
                if following not in ways:
                    ways[following] = way
                    waiting.append(following)
        return []
