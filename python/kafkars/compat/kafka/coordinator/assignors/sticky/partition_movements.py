"""Partitions that were moved to another member (`kafka.coordinator.assignors.sticky.partition_movements`)."""

from __future__ import annotations

from kafkars.compat.kafka.structs import TopicPartition

__all__ = ["PartitionMovements"]

Pair = tuple[str, str]


class PartitionMovements:
    """Keeps which member had a partition first and which has it now."""

    def __init__(self) -> None:
        self._pairs: dict[TopicPartition, Pair] = {}

    def move_partition(self, partition: TopicPartition, old_consumer: str, new_consumer: str) -> None:
        """Notes the move of a partition; one that comes back has not moved."""
        first, _ = self._pairs.pop(partition, (old_consumer, old_consumer))
        if first != new_consumer:
            self._pairs[partition] = (first, new_consumer)

    def are_sticky(self) -> bool:
        """True if no members have exchanged partitions of one topic, be it in a circle."""
        return not self.circle()

    def circle(self) -> list[TopicPartition]:
        """Partitions of one topic that went round among members, each of whom might have kept its own; empty where
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
        """The partitions of a shortest way of one move or more from a member to another."""
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
