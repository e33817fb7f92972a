"""Translation of kafkars' results to kafka-python's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kafkars.admin import ConfigEntry, GroupDescription, GroupMember, TopicDescription, acls
from kafkars.compat.kafka.admin._groups import ClassicGroup, ClassicMember
from kafkars.compat.kafka.admin.acl_resource import ACLOperation
from kafkars.compat.kafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment_v0,
    ConsumerProtocolMemberMetadata_v0,
)
from kafkars.compat.kafka.errors import NoError, for_code, of
from kafkars.compat.kafka.structs import GroupInformation, MemberInformation
from kafkars.errors import KafkaError
from kafkars.types import PartitionInfo, TopicPartition


def code_of(found: object) -> tuple[int, str | None]:
    """Returns Kafka's error code and the broker's message of an outcome.

    Raises:
        KafkaError: The outcome is an error that came from no broker.
    """
    if not isinstance(found, KafkaError):
        return 0, None
    if found.code is None:
        raise of(found) from found
    return found.code, getattr(found, "broker_message", None) or ""


def raise_first(codes: Iterable[int], asked: str, answer: object) -> None:
    """Raises the first error among the codes of an answer, as kafka-python 2 does.

    Raises:
        BrokerResponseError: The error of the first code that is not 0, in its own class.
    """
    for code in codes:
        if for_code(code) is not NoError:
            raise for_code(code)(f"Request '{asked}' failed with response '{answer!r}'.")


def setting(entry: ConfigEntry) -> tuple[Any, ...]:
    """Returns a setting in the order of `DescribeConfigsResponse_v2`."""
    synonyms = [(synonym.name, synonym.value, int(synonym.source)) for synonym in entry.synonyms]
    return (entry.name, entry.value, entry.is_read_only, int(entry.source), entry.is_sensitive, synonyms)


def topic(name: str, found: TopicDescription | KafkaError, names: Mapping[str, str]) -> dict[str, Any]:
    """Returns a topic as a dict.

    Args:
        name: The topic's name.
        found: Its description, or the error.
        names: The field names on which kafka-python 2 and 3 differ.
    """
    code, _ = code_of(found)
    row = {"error_code": code, names["name"]: name}
    if isinstance(found, KafkaError):
        return {**row, "is_internal": False, "partitions": [], "authorized_operations": []}
    partitions = [partition(each, names) for each in found.partitions]
    authorized = operations(found.authorized_operations)
    return {**row, "is_internal": found.is_internal, "partitions": partitions, "authorized_operations": authorized}


def operations(found: frozenset[Any] | None) -> list[str]:
    """Returns operations by number, as names."""
    return [ACLOperation(number).name for number in sorted(acls.OPERATIONS[each] for each in found or ())]


LEADER_NOT_AVAILABLE = 5


def partition(found: PartitionInfo, names: Mapping[str, str]) -> dict[str, Any]:
    """Returns a partition as a dict."""
    return {
        "error_code": 0 if found.leader is not None else LEADER_NOT_AVAILABLE,
        names["partition"]: found.partition,
        names["leader"]: -1 if found.leader is None else found.leader,
        "leader_epoch": -1 if found.leader_epoch is None else found.leader_epoch,
        names["replicas"]: list(found.replicas),
        names["isr"]: list(found.in_sync_replicas),
        "offline_replicas": list(found.offline_replicas),
    }


def group(name: str, found: ClassicGroup | GroupDescription) -> GroupInformation:
    """A group.

    Raises:
        BrokerResponseError: The coordinator refuses to tell.
    """
    authorized = operations(found.operations if isinstance(found, ClassicGroup) else found.authorized_operations)
    if isinstance(found, GroupDescription):
        members = [member(each) for each in found.members]
        return GroupInformation(0, name, found.state, found.protocol_type, found.assignor, members, authorized)
    raise_first([found.error_code], "DescribeGroups", found)
    members = [classic_member(each, is_consumer=found.is_of_consumers) for each in found.members]
    return GroupInformation(0, name, found.state, found.protocol_type, found.protocol, members, authorized)


def classic_member(found: ClassicMember, *, is_consumer: bool) -> MemberInformation:
    """A member: what it subscribes to, and what its leader has given it."""
    said: Any = found.metadata
    given: Any = found.assignment
    return MemberInformation(
        found.member_id,
        found.client_id,
        found.client_host,
        ConsumerProtocolMemberMetadata_v0.decode(said) if said and is_consumer else said,
        ConsumerProtocolMemberAssignment_v0.decode(given) if given and is_consumer else given,
    )


def member(found: GroupMember) -> MemberInformation:
    """A member of a group of KIP-848. What it subscribes to is not told: topics it has partitions of stand for it."""
    topics = by_topic(found.assignment)
    return MemberInformation(
        found.member_id,
        found.client_id,
        found.client_host,
        ConsumerProtocolMemberMetadata_v0(0, list(topics), b""),
        ConsumerProtocolMemberAssignment_v0(0, list(topics.items()), b""),
    )


def by_topic(partitions: Sequence[TopicPartition]) -> dict[str, list[int]]:
    """Returns sorted partition numbers by topic."""
    found: dict[str, list[int]] = {}
    for name, number in sorted(partitions):
        found.setdefault(name, []).append(number)
    return found
