"""Adapts assignors of aiokafka to kafkars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from kafkars.assignor import GroupMember, MemberAssignment
from kafkars.compat.aiokafka.cluster import ClusterMetadata
from kafkars.compat.aiokafka.coordinator.assignors.range import RangePartitionAssignor
from kafkars.compat.aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafkars.compat.aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor
from kafkars.compat.aiokafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment,
    ConsumerProtocolMemberMetadata,
)
from kafkars.compat.aiokafka.structs import TopicPartition

BUILT_IN = (RangePartitionAssignor, RoundRobinPartitionAssignor, StickyPartitionAssignor)


def strategy(assignors: Iterable[Any]) -> tuple[Any, ...]:
    """Returns kafkars' assignors: names of the built-in ones, and adapters of the application's own."""
    return tuple(each.name if each in BUILT_IN else ApplicationAssignor(each) for each in assignors)


class ApplicationAssignor:
    """An assignor written for aiokafka. As there, it is asked for its metadata whenever the member joins."""

    def __init__(self, assignor: Any) -> None:
        if not hasattr(assignor, "name"):
            # Python's own error would hold the object, which may be a secret in the wrong place.
            raise AttributeError(f"{type(assignor).__name__!r} object has no attribute 'name'")
        self._assignor = assignor
        self.name: str = assignor.name
        self.topics: frozenset[str] = frozenset()
        """The topics that the member subscribes to."""
        self._said: tuple[frozenset[str], bytes | None] | None = None

    def assign(self, partitions: Mapping[str, int], members: Sequence[GroupMember]) -> dict[str, MemberAssignment]:
        """Runs on the leading member."""
        cluster = ClusterMetadata.of({topic: range(count) for topic, count in partitions.items()})
        said = {
            member.member_id: ConsumerProtocolMemberMetadata(0, sorted(member.topics), member.user_data or b"")
            for member in members
        }
        given: Mapping[str, ConsumerProtocolMemberAssignment] = self._assignor.assign(cluster, said)
        return {
            member: MemberAssignment(assignment.partitions(), assignment.user_data)
            for member, assignment in given.items()
        }

    def user_data(self, last: Sequence[TopicPartition], generation: int) -> bytes | None:
        """Returns the user data of the assignor's metadata."""
        del last
        said, self._said = self._said, None
        # A new member says it twice: its first JoinGroup only gets it its id (KIP-394).
        if generation < 0 and said is not None and said[0] == self.topics:
            return said[1]
        data: bytes | None = self._assignor.metadata(self.topics).user_data
        self._said = self.topics, data
        return data

    def on_assignment(self, partitions: Sequence[TopicPartition], user_data: bytes | None) -> None:
        """Passes the member's assignment to the assignor."""
        self._said = None
        by_topic = groupby(sorted(partitions), key=lambda partition: partition.topic)
        given = [(topic, [partition.partition for partition in each]) for topic, each in by_topic]
        self._assignor.on_assignment(ConsumerProtocolMemberAssignment(0, given, user_data or b""))
