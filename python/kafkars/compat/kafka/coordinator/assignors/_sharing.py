"""What assignors have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkars.compat.kafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment_v0,
    ConsumerProtocolMemberMetadata_v0,
)


def by_member(members: Any) -> dict[str, Any]:
    """What members say of themselves, by their ids: kafka-python 2 gives it so, and 3 a list of objects."""
    if isinstance(members, Mapping):
        return dict(members)
    return {member.member_id: member for member in members}


def topics_of(member: Any) -> list[str]:
    """The topics that a member subscribes to."""
    said = said_by(member)
    topics = getattr(said, "topics", None)
    return list(getattr(said, "subscription", ()) if topics is None else topics)


def said_by(member: Any) -> Any:
    """What a member says, where it comes with the member's name."""
    return getattr(member, "metadata", None) or member


def in_turn(members: Mapping[str, Any]) -> list[str]:
    """The members in the order of their turns: those with a name of their own by that, then all others by their ids."""
    names = {member: getattr(said, "group_instance_id", None) for member, said in members.items()}
    return sorted(members, key=lambda member: (names[member] is None, names[member] or "", member))


def partitions_of(cluster: Any, topics: Iterable[str]) -> dict[str, list[int]]:
    """The partitions of topics that are known, in order."""
    found = {topic: cluster.partitions_for_topic(topic) for topic in sorted(set(topics))}
    return {topic: sorted(numbers) for topic, numbers in found.items() if numbers}


def assigned(given: Mapping[str, Mapping[str, list[int]]]) -> dict[str, ConsumerProtocolMemberAssignment_v0]:
    """What members get, in the form in which the group is told."""
    return {
        member: ConsumerProtocolMemberAssignment_v0(0, sorted(topics.items()), b"") for member, topics in given.items()
    }


def joining(topics: Iterable[str], user_data: bytes = b"") -> ConsumerProtocolMemberMetadata_v0:
    """What a member says of itself."""
    return ConsumerProtocolMemberMetadata_v0(0, list(topics), user_data)
