"""A balanced assignment with as few moves of partitions as possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kafkars.compat.kafka.coordinator.assignors import _sharing
from kafkars.compat.kafka.coordinator.assignors.sticky.partition_movements import PartitionMovements
from kafkars.compat.kafka.structs import TopicPartition


class StickyAssignorMemberMetadataV1(NamedTuple):
    """The subscription of a member, its previous assignment, and the generation of that."""

    subscription: list[str]
    partitions: list[TopicPartition]
    generation: int


class Balance:
    """The members with their partitions, initially those of their previous assignments.

    Args:
        cluster: An object with `partitions_for_topic()`.
        members: Metadata by member id.
    """

    def __init__(self, cluster: Any, members: Mapping[str, StickyAssignorMemberMetadataV1]) -> None:
        wanted = {member: set(said.subscription) for member, said in members.items()}
        known = _sharing.partitions_of(cluster, (topic for topics in wanted.values() for topic in topics))
        takers = {topic: sorted(member for member in members if topic in wanted[member]) for topic in known}
        self._takers = takers
        partitions = [TopicPartition(topic, number) for topic, numbers in known.items() for number in numbers]
        # Partitions with few possible members come first: there is less choice.
        self._partitions = sorted(partitions, key=lambda each: (len(takers[each.topic]), each))
        self._owners: dict[TopicPartition, str] = {}
        self._before: dict[TopicPartition, str] = {}
        self._had: dict[str, list[TopicPartition]] = {member: [] for member in members}
        self._remember(members)
        self.movements = PartitionMovements()

    def _remember(self, members: Mapping[str, StickyAssignorMemberMetadataV1]) -> None:
        """Gives each partition to its owner of the latest generation, and remembers the owner before that, who may get
        it back.
        """
        claims: dict[TopicPartition, list[tuple[int, str]]] = {}
        for member, said in members.items():
            for partition in set(said.partitions):
                claims.setdefault(partition, []).append((-said.generation, member))
        for partition in self._partitions:
            claimed = sorted(claims.get(partition, ()))
            if not claimed:
                continue
            latest, owner = claimed[0]
            earlier = [member for generation, member in claimed if generation > latest]
            if owner in self._takers[partition.topic]:
                self._give(partition, owner)
            if earlier and earlier[0] in self._takers[partition.topic]:
                self._before[partition] = earlier[0]

    def assign(self) -> None:
        """Assigns partitions without an owner, then moves partitions while that improves the balance."""
        for partition in self._partitions:
            if partition not in self._owners:
                self._give(partition, self._least(partition))
        began = dict(self._owners)
        while self._move_back() or self._move():
            pass
        self._undo_circles(began)

    def had(self, member: str) -> dict[str, list[int]]:
        """Returns the partitions of a member."""
        found: dict[str, list[int]] = {}
        for partition in sorted(self._had[member]):
            found.setdefault(partition.topic, []).append(partition.partition)
        return found

    def _least(self, partition: TopicPartition) -> str:
        """Returns the member with the fewest partitions that is subscribed to the topic."""
        return min(self._takers[partition.topic], key=lambda member: (len(self._had[member]), member))

    def _give(self, partition: TopicPartition, member: str) -> None:
        owner = self._owners.get(partition)
        if owner is not None:
            self._had[owner].remove(partition)
        self._owners[partition] = member
        self._had[member].append(partition)

    def _is_uneven(self, owner: str, other: str) -> bool:
        return len(self._had[owner]) > len(self._had[other]) + 1

    def _move_back(self) -> bool:
        """Returns partitions to their previous owners where that improves the balance."""
        moved = False
        for partition, member in self._before.items():
            if self._is_uneven(self._owners[partition], member):
                self._give(partition, member)
                moved = True
        return moved

    def _move(self) -> bool:
        """Makes the best move from the member with the most partitions; False if no move improves the balance."""
        for owner in sorted(self._had, key=lambda member: (-len(self._had[member]), member)):
            moves = [(len(self._had[taker]), each, taker) for each, taker in self._offers(owner)]
            if moves:
                _, partition, member = min(moves)
                self._give(partition, member)
                return True
        return False

    def _offers(self, owner: str) -> Iterable[tuple[TopicPartition, str]]:
        for partition in self._had[owner]:
            least = self._least(partition)
            if self._is_uneven(owner, least):
                yield partition, least

    def _undo_circles(self, began: Mapping[TopicPartition, str]) -> None:
        """Undoes exchanges of partitions of one topic among members: without them the balance is the same."""
        for partition, owner in began.items():
            if self._owners[partition] != owner:
                self.movements.move_partition(partition, owner, self._owners[partition])
        while circle := self.movements.circle():
            for partition in circle:
                self.movements.move_partition(partition, self._owners[partition], began[partition])
                self._give(partition, began[partition])
