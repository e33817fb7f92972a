"""Groups, and descriptions of them with their members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from kafkars.compat.aiokafka import errors
from kafkars.compat.aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment
from kafkars.compat.aiokafka.protocol.admin import DescribeGroupsResponse_v2
from kafkars.errors import GroupIdNotFoundError, KafkaError

if TYPE_CHECKING:
    from kafkars.aio import Admin
    from kafkars.types import TopicPartition

DEAD = "Dead"
BELOW = 4
"""The first version of DescribeGroups that aiokafka does not speak."""


async def listed(admin: Admin, brokers: Iterable[int] | None, seconds: float) -> list[tuple[str, str]]:
    """Returns id and protocol type of every group, or of those that some brokers coordinate. No others are asked.

    Raises:
        NodeNotReadyError: One of the brokers cannot be reached, or there is no such broker.
    """
    if brokers is None:
        brokers = [broker.id for broker in (await admin.describe_cluster()).brokers]
    handle = admin._native._handle()
    found: set[tuple[str, str]] = set()
    for broker in brokers:
        try:
            await handle.connect(broker, seconds)
        except KafkaError as problem:
            raise errors.NodeNotReadyError(f"broker {broker} cannot be reached: {problem}") from problem
        rows = await admin._native.groups_of([broker], [], [], seconds).start()
        found.update((group, protocol_type) for group, protocol_type, *_ in rows)
    return list(found)


async def describe(admin: Admin, groups: Sequence[str]) -> list[DescribeGroupsResponse_v2]:
    """Describes groups: those of one coordinator in one response.

    Raises:
        KafkaError: A coordinator is not found. What it refuses itself is in its response.
    """
    if isinstance(groups, str):
        raise TypeError("group_ids: expected a list of ids, not one id")
    names = list(dict.fromkeys(groups))
    together: dict[int, list[str]] = {}
    for name in names if len(names) > 1 else ():
        together.setdefault(await admin.find_coordinator(name), []).append(name)
    found: dict[str, Any] = dict(await admin._native.classic_answers(names, BELOW, None).start())
    rows = {name: await row(admin, name, answer) for name, answer in found.items()}
    asked = together.values() or [names] if names else []
    return [DescribeGroupsResponse_v2(0, [rows[name] for name in part]) for part in asked]


async def row(admin: Admin, name: str, answer: Any) -> tuple[Any, ...]:
    """Returns a group in aiokafka's order. A missing one is "Dead": only newer versions of the request have an
    error.

    Raises:
        KafkaError: There is no answer.
    """
    if isinstance(answer, BaseException):
        raise answer
    code, _, state, protocol_type, protocol, members, _ = answer
    if state == DEAD:
        return await of_newer_protocol(admin, name) or (0, name, DEAD, "", "", [])
    told = [(member, client, host, metadata, assignment) for member, _, client, host, metadata, assignment in members]
    return (code, name, state, protocol_type, protocol, told)


async def of_newer_protocol(admin: Admin, name: str) -> tuple[Any, ...] | None:
    """Returns a group of KIP-848, of which aiokafka hears that it is dead; None if there is none of that name."""
    try:
        (group,) = (await admin.describe_groups([name])).values()
    except GroupIdNotFoundError:
        return None
    if group.group_type != "Consumer":
        return None
    # These members say nothing in the form of classic ones.
    told = [
        (each.member_id, each.client_id, each.client_host, b"", assignment(each.assignment)) for each in group.members
    ]
    return (0, name, group.state, group.protocol_type, group.assignor, told)


def assignment(partitions: Iterable[TopicPartition]) -> bytes:
    """Encodes a member's assignment in the consumers' protocol, version 0."""
    by_topic: dict[str, list[int]] = {}
    for topic, partition in partitions:
        by_topic.setdefault(topic, []).append(partition)
    listed = [(topic, sorted(numbers)) for topic, numbers in by_topic.items()]
    return ConsumerProtocolMemberAssignment(0, listed, b"").encode()
