"""Groups and their members as dicts, as kafka-python 3 describes them."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

from kafkars.admin import GroupDescription, GroupMember
from kafkars.compat.kafka.admin._answers import by_topic, operations
from kafkars.compat.kafka.admin._groups import ClassicGroup, ClassicMember
from kafkars.compat.kafka.errors import for_code
from kafkars.compat.kafka.protocol.types import Array, Bytes, Int16, Int32, String

PARTITIONS = Array(("topic", String()), ("partitions", Array(Int32)))
OWNED_SINCE, GENERATION_SINCE, RACK_SINCE = 1, 2, 3
"""Versions in which a member tells more."""


def group(name: str, found: ClassicGroup | GroupDescription) -> dict[str, Any]:
    """A group with its members."""
    if isinstance(found, GroupDescription):
        return {
            "group_id": name,
            "group_state": found.state,
            "protocol_type": found.protocol_type,
            "protocol_data": found.assignor,
            "members": [member(each) for each in found.members],
            "authorized_operations": operations(found.authorized_operations),
            "error": None,
        }
    told = found.operations
    return {
        "group_id": name,
        "group_state": found.state,
        "protocol_type": found.protocol_type,
        "protocol_data": found.protocol,
        "members": [classic_member(each, is_consumer=found.is_of_consumers) for each in found.members],
        "authorized_operations": None if told is None else operations(told),
        "error": str(for_code(found.error_code)(found.error_message or "")) if found.error_code else None,
    }


def member(found: GroupMember) -> dict[str, Any]:
    """A member of a group of KIP-848. What it subscribes to is not told: topics it has partitions of stand for it."""
    topics = by_topic(found.assignment)
    return {
        "member_id": found.member_id,
        "group_instance_id": found.group_instance_id,
        "client_id": found.client_id,
        "client_host": found.client_host,
        "member_metadata": {"topics": list(topics), "user_data": ""},
        "member_assignment": {
            "assigned_partitions": [{"topic": name, "partitions": numbers} for name, numbers in topics.items()],
            "user_data": "",
        },
    }


def classic_member(found: ClassicMember, *, is_consumer: bool) -> dict[str, Any]:
    """A member: what it subscribes to, and what its leader has given it."""
    return {
        "member_id": found.member_id,
        "group_instance_id": found.group_instance_id,
        "client_id": found.client_id,
        "client_host": found.client_host,
        "member_metadata": decoded(subscription, found.metadata, is_consumer=is_consumer),
        "member_assignment": decoded(assignment, found.assignment, is_consumer=is_consumer),
    }


def decoded(decode: Callable[[io.BytesIO], Any], data: bytes, *, is_consumer: bool) -> Any:
    """What is in the form of consumers as a dict, anything else as text."""
    if data and is_consumer:
        try:
            return decode(io.BytesIO(data))
        except (struct.error, ValueError):
            pass
    return text(data)


def text(data: bytes | None) -> str | None:
    """Bytes as text, however they come."""
    return None if data is None else data.decode("utf-8", "backslashreplace")


def subscription(data: io.BytesIO) -> dict[str, Any]:
    """What a member says when it joins."""
    version = Int16.decode(data)
    told = {"topics": Array(String()).decode(data), "user_data": text(Bytes.decode(data))}
    if version >= OWNED_SINCE:
        told["owned_partitions"] = partitions(data)
    if version >= GENERATION_SINCE:
        told["generation_id"] = Int32.decode(data)
    if version >= RACK_SINCE:
        told["rack_id"] = String().decode(data)
    return told


def assignment(data: io.BytesIO) -> dict[str, Any]:
    """What the leader gives a member."""
    Int16.decode(data)
    return {"assigned_partitions": partitions(data), "user_data": text(Bytes.decode(data))}


def partitions(data: io.BytesIO) -> list[dict[str, Any]]:
    """Partitions by topic."""
    return [{"topic": topic, "partitions": numbers} for topic, numbers in PARTITIONS.decode(data) or ()]
