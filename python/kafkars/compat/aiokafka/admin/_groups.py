"""Descriptions of groups with their members."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kafkars.compat.aiokafka.protocol.admin import DescribeGroupsResponse_v2, code_and_message
from kafkars.errors import GroupIdNotFoundError

if TYPE_CHECKING:
    from kafkars.admin import GroupMember
    from kafkars.aio import Admin
    from kafkars.types import TopicPartition


async def describe(admin: Admin, groups: Sequence[str]) -> list[DescribeGroupsResponse_v2]:
    """Describes groups, each in a response of its own."""
    found = await admin.describe_groups(groups, return_exceptions=True)
    return [DescribeGroupsResponse_v2(0, [row(group, found[group])]) for group in groups]


def row(group: str, found: Any) -> tuple[Any, ...]:
    """Returns a group in aiokafka's order. A missing one is "Dead": only newer versions of the request have an
    error.
    """
    if isinstance(found, GroupIdNotFoundError):
        return (0, group, "Dead", "", "", [])
    code, _ = code_and_message(found)
    if code:
        return (code, group, "", "", "", [])
    return (0, group, found.state, found.protocol_type, found.assignor, [member(each) for each in found.members])


def member(of: GroupMember) -> tuple[Any, ...]:
    """Returns a member without its subscription, which kafkars does not tell."""
    return (of.member_id, of.client_id, of.client_host, b"", assignment(of.assignment))


def assignment(partitions: Iterable[TopicPartition]) -> bytes:
    """Encodes a member's assignment in the consumers' protocol (ConsumerProtocolAssignment, version 0)."""
    by_topic: dict[str, list[int]] = {}
    for topic, partition in partitions:
        by_topic.setdefault(topic, []).append(partition)
    encoded = [struct.pack(">hi", 0, len(by_topic))]
    for topic, numbers in by_topic.items():
        name = topic.encode()
        encoded.append(struct.pack(f">h{len(name)}si{len(numbers)}i", len(name), name, len(numbers), *sorted(numbers)))
    return b"".join([*encoded, struct.pack(">i", 0)])
