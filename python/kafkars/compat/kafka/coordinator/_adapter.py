"""Adapts the application's assignors to kafkars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from types import SimpleNamespace
from typing import Any

from kafkars.assignor import GroupMember, MemberAssignment
from kafkars.compat.kafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment_v0,
    ConsumerProtocolMemberMetadata_v0,
)
from kafkars.compat.kafka.coordinator.subscription import Subscription
from kafkars.compat.kafka.errors import KafkaConfigurationError
from kafkars.compat.kafka.structs import TopicPartition
from kafkars.config.checks import shown

BUILT_IN = frozenset({"range", "roundrobin", "sticky", "cooperative-sticky"})


def strategy(assignors: Iterable[Any], *, as_list: bool) -> list[Any]:
    """Returns the assignors for the engine: its own by name, the application's adapted.

    Args:
        assignors: Classes or objects.
        as_list: True if `assign()` takes a list of members, as in kafka-python 3, and not a dict.

    Raises:
        KafkaConfigurationError: An item is not an assignor.
    """
    return [_of(assignor, as_list=as_list) for assignor in assignors]


def _of(assignor: Any, *, as_list: bool) -> Any:
    name = getattr(assignor, "name", None)
    if name in BUILT_IN and getattr(assignor, "__module__", "").startswith("kafkars.compat.kafka"):
        return name
    if isinstance(name, str) and all(callable(getattr(assignor, each, None)) for each in ("assign", "metadata")):
        return ApplicationAssignor(assignor, as_list=as_list)
    raise KafkaConfigurationError(
        f"partition_assignment_strategy: {shown(assignor)} is no assignor: a name, assign() and metadata() are needed"
    )


class ApplicationAssignor:
    """An assignor written for kafka-python, whose metadata is requested at each join, as there."""

    def __init__(self, assignor: Any, *, as_list: bool) -> None:
        self._assignor = assignor
        self._as_list = as_list
        self.name: str = assignor.name
        self.topics: frozenset[str] = frozenset()
        """The member's subscription."""

    def assign(self, partitions: Mapping[str, int], members: Sequence[GroupMember]) -> dict[str, MemberAssignment]:
        """Returns the assignment of each member; called on the group's leader."""
        given = self._assignor.assign(Topics(partitions), self._said(members))
        return {
            member: MemberAssignment(assignment.partitions(), assignment.user_data or None)
            for member, assignment in given.items()
        }

    def _said(self, members: Sequence[GroupMember]) -> Any:
        said = [
            (each, ConsumerProtocolMemberMetadata_v0(0, sorted(each.topics), each.user_data or b"")) for each in members
        ]
        if self._as_list:
            return [
                SimpleNamespace(member_id=each.member_id, group_instance_id=each.instance_id, metadata=metadata)
                for each, metadata in said
            ]
        return {each.member_id: Subscription(metadata, each.instance_id) for each, metadata in said}

    def user_data(self, last: Sequence[TopicPartition], generation: int) -> bytes | None:
        """Returns the user data of the assignor's metadata."""
        del last, generation
        data: bytes | None = self._assignor.metadata(self.topics).user_data
        return data or None

    def on_assignment(self, partitions: Sequence[TopicPartition], user_data: bytes | None) -> None:
        """Tells the assignor the assignment of this member."""
        by_topic = groupby(sorted(partitions), key=lambda partition: partition.topic)
        given = [(topic, [partition.partition for partition in each]) for topic, each in by_topic]
        assignment = ConsumerProtocolMemberAssignment_v0(0, given, user_data or b"")
        if self._as_list:
            self._assignor.on_assignment(assignment, -1)
        else:
            self._assignor.on_assignment(assignment)


class Topics:
    """The cluster as assignors see it: the topics that members are subscribed to."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    def topics(self, exclude_internal_topics: bool = True) -> set[str]:
        """Returns the names of the topics."""
        del exclude_internal_topics
        return set(self._counts)

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """Returns the partition numbers of a topic; None if the topic is unknown."""
        count = self._counts.get(topic)
        return None if count is None else set(range(count))

    available_partitions_for_topic = partitions_for_topic
