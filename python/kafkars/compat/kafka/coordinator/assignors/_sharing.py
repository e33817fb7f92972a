"""What range and round robin have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafkars.compat.kafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment_v0,
    ConsumerProtocolMemberMetadata_v0,
)


def topics_of(member: Any) -> list[str]:
    """The topics that a member subscribes to."""
    said = getattr(member, "topics", None)
    return list(getattr(member, "subscription", ()) if said is None else said)


def partitions_of(cluster: Any, topics: Iterable[str]) -> dict[str, list[int]]:
    """The partitions of topics that are known, in order."""
    found = {topic: cluster.partitions_for_topic(topic) for topic in sorted(set(topics))}
    return {topic: sorted(numbers) for topic, numbers in found.items() if numbers}


def assigned(given: Mapping[str, Mapping[str, list[int]]]) -> dict[str, ConsumerProtocolMemberAssignment_v0]:
    """What members get, in the form in which the group is told."""
    return {
        member: ConsumerProtocolMemberAssignment_v0(0, sorted(topics.items()), b"") for member, topics in given.items()
    }


def joining(topics: Iterable[str]) -> ConsumerProtocolMemberMetadata_v0:
    """What a member says of itself."""
    return ConsumerProtocolMemberMetadata_v0(0, list(topics), b"")
