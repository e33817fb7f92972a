"""Translation of kafkars' results to kafka-python's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kafkars.admin import ConfigEntry, GroupDescription, GroupMember, TopicDescription, acls
from kafkars.compat.kafka.admin.acl_resource import ACLOperation
from kafkars.compat.kafka.coordinator.protocol import (
    ConsumerProtocolMemberAssignment_v0,
    ConsumerProtocolMemberMetadata_v0,
)
from kafkars.compat.kafka.errors import NoError, for_code, of
from kafkars.compat.kafka.structs import GroupInformation, MemberInformation
from kafkars.errors import GroupIdNotFoundError, KafkaError
from kafkars.types import PartitionInfo, TopicPartition


def code_of(found: object) -> tuple[int, str | None]:
    """Kafka's number of an outcome, and the broker's words of it.

    Raises:
        KafkaError: The outcome is an error that no broker has answered with.
    """
    if not isinstance(found, KafkaError):
        return 0, None
    if found.code is None:
        raise of(found) from found
    return found.code, getattr(found, "broker_message", None) or ""


def raise_first(codes: Iterable[int], asked: str, answer: object) -> None:
    """Raises the first error among the codes of an answer, as kafka-python 2 does.

    Raises:
        BrokerResponseError: Of the class of the first code that is none of success.
    """
    for code in codes:
        if for_code(code) is not NoError:
            raise for_code(code)(f"Request '{asked}' failed with response '{answer!r}'.")


def setting(entry: ConfigEntry) -> tuple[Any, ...]:
    """A setting in the order of `DescribeConfigsResponse_v2`."""
    synonyms = [(synonym.name, synonym.value, int(synonym.source)) for synonym in entry.synonyms]
    return (entry.name, entry.value, entry.is_read_only, int(entry.source), entry.is_sensitive, synonyms)


def topic(name: str, found: TopicDescription | KafkaError, names: Mapping[str, str]) -> dict[str, Any]:
    """A topic as a dict.

    Args:
        name: Its name.
        found: What the cluster says of it.
        names: What the fields are called that kafka-python 2 and 3 call by different names.
    """
    code, _ = code_of(found)
    row = {"error_code": code, names["name"]: name}
    if isinstance(found, KafkaError):
        return {**row, "is_internal": False, "partitions": [], "authorized_operations": []}
    partitions = [partition(each, names) for each in found.partitions]
    authorized = operations(found.authorized_operations)
    return {**row, "is_internal": found.is_internal, "partitions": partitions, "authorized_operations": authorized}


def operations(found: frozenset[Any] | None) -> list[str]:
    """The names of operations, by their numbers."""
    return [ACLOperation(number).name for number in sorted(acls.OPERATIONS[each] for each in found or ())]


LEADER_NOT_AVAILABLE = 5


def partition(found: PartitionInfo, names: Mapping[str, str]) -> dict[str, Any]:
    """A partition as a dict."""
    return {
        "error_code": 0 if found.leader is not None else LEADER_NOT_AVAILABLE,
        names["partition"]: found.partition,
        names["leader"]: -1 if found.leader is None else found.leader,
        "leader_epoch": -1 if found.leader_epoch is None else found.leader_epoch,
        names["replicas"]: list(found.replicas),
        names["isr"]: list(found.in_sync_replicas),
        "offline_replicas": list(found.offline_replicas),
    }


def group(name: str, found: GroupDescription | KafkaError) -> GroupInformation:
    """A group. One that is not there is dead: newer versions of the request call that an error.

    Raises:
        KafkaError: The coordinator refuses to tell.
    """
    if isinstance(found, GroupIdNotFoundError):
        return GroupInformation(0, name, "Dead", "", "", [], [])
    if isinstance(found, KafkaError):
        raise of(found) from found
    members = [member(each, is_consumer=found.protocol_type in {"", "consumer"}) for each in found.members]
    authorized = operations(found.authorized_operations)
    return GroupInformation(0, name, found.state, found.protocol_type, found.assignor, members, authorized)


def member(found: GroupMember, *, is_consumer: bool) -> MemberInformation:
    """A member. What it subscribes to is not told: the topics it has partitions of stand for it."""
    topics = by_topic(found.assignment)
    if not is_consumer or not topics:
        return MemberInformation(found.member_id, found.client_id, found.client_host, b"", b"")
    return MemberInformation(
        found.member_id,
        found.client_id,
        found.client_host,
        ConsumerProtocolMemberMetadata_v0(0, list(topics), b""),
        ConsumerProtocolMemberAssignment_v0(0, list(topics.items()), b""),
    )


def by_topic(partitions: Sequence[TopicPartition]) -> dict[str, list[int]]:
    """Numbers of partitions by topic, in order."""
    found: dict[str, list[int]] = {}
    for name, number in sorted(partitions):
        found.setdefault(name, []).append(number)
    return found
