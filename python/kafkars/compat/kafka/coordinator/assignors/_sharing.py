"""Functions that the assignors share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkars.compat.kafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment_v0,
    ConsumerProtocolMemberMetadata_v0,
)


def by_member(members: Any) -> dict[str, Any]:
    """Returns the metadata of members by their ids, from kafka-python 2's mapping or 3's list of objects."""
    if isinstance(members, Mapping):
        return dict(members)
    return {member.member_id: member for member in members}


def topics_of(member: Any) -> list[str]:
    """Returns the subscription of a member."""
    said = said_by(member)
    topics = getattr(said, "topics", None)
    return list(getattr(said, "subscription", ()) if topics is None else topics)


def said_by(member: Any) -> Any:
    """Returns a member's metadata, with or without the member's id around it."""
    return getattr(member, "metadata", None) or member


def in_turn(members: Mapping[str, Any]) -> list[str]:
    """Returns the members in order: static members by instance id, then the others by member id."""
    names = {member: getattr(said, "group_instance_id", None) for member, said in members.items()}
    return sorted(members, key=lambda member: (names[member] is None, names[member] or "", member))


def partitions_of(cluster: Any, topics: Iterable[str]) -> dict[str, list[int]]:
    """Returns the partitions of the known topics, in order."""
    found = {topic: cluster.partitions_for_topic(topic) for topic in sorted(set(topics))}
    return {topic: sorted(numbers) for topic, numbers in found.items() if numbers}


def assigned(given: Mapping[str, Mapping[str, list[int]]]) -> dict[str, ConsumerProtocolMemberAssignment_v0]:
    """Encodes the assignments of members for the group protocol."""
    return {
        member: ConsumerProtocolMemberAssignment_v0(0, sorted(topics.items()), b"") for member, topics in given.items()
    }


def joining(topics: Iterable[str], user_data: bytes = b"") -> ConsumerProtocolMemberMetadata_v0:
    """Returns the metadata of a member."""
    return ConsumerProtocolMemberMetadata_v0(0, list(topics), user_data)
