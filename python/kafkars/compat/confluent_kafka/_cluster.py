"""`list_topics()`, `list_groups()` and `cluster_id()`, which every client of the library has."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import kafkars
from kafkars import errors
from kafkars.admin import GroupDescription
from kafkars.compat._quiet import quiet
from kafkars.compat.confluent_kafka import _arguments as arguments
from kafkars.compat.confluent_kafka._time_limit import TimeLimit
from kafkars.compat.confluent_kafka._translate import of_engine, translated
from kafkars.compat.confluent_kafka.admin._metadata import (
    BrokerMetadata,
    ClusterMetadata,
    GroupMember,
    GroupMetadata,
    PartitionMetadata,
    TopicMetadata,
)
from kafkars.config.admin import AdminConfig
from kafkars.config.checks import Derived
from kafkars.config.consumer import ConsumerConfig

END_OF_VERSIONS = 6
"""The first version of DescribeGroups in which a group that is not there is an error; the library asks in an older
one."""

CREATED_WITHIN_MS = 200
"""How long a topic that is asked for may take to be created."""

ADMIN_SETTINGS = frozenset(AdminConfig.CHECKS)
CONSUMER_SETTINGS = frozenset(ConsumerConfig.CHECKS)


def list_topics(engine: Mapping[str, Any], topic: str | None, limit: float | None) -> ClusterMetadata:
    """Describes the cluster, by an `Admin` that is made for it.

    Args:
        engine: Settings of the engine of any client.
        topic: The only topic to describe; None for all. Where the client lets brokers create topics, asking for it
            does.
        limit: Seconds; None for `request_timeout_ms`.

    Raises:
        KafkaException: The cluster did not answer in time.
    """
    with administrator(engine) as admin:
        return topics_of(admin, engine, topic, limit)


def cluster_id(engine: Mapping[str, Any], limit: float | None) -> str | None:
    """Returns the cluster's id, by an `Admin` that is made for it."""
    with administrator(engine) as admin, translated("Failed to get cluster id"):
        return admin.describe_cluster(timeout=limit).cluster_id


def administrator(engine: Mapping[str, Any]) -> kafkars.Admin:
    settings = {name: value for name, value in engine.items() if name in ADMIN_SETTINGS}
    with translated("Failed to create client"), Derived():
        return quiet(kafkars.Admin(**{"default_api_timeout_ms": settings["request_timeout_ms"], **settings}))


def topics_of(
    admin: kafkars.Admin, engine: Mapping[str, Any], topic: str | None, limit: float | None
) -> ClusterMetadata:
    """Describes the cluster and its topics, by an `Admin`; see `list_topics()`."""
    arguments.topic(topic)
    within = TimeLimit.of(limit)
    names = None if topic is None else [topic]

    def described() -> Mapping[str, Any]:
        return admin.describe_topics(names, timeout=within.left(), return_exceptions=True)

    with translated("Failed to get metadata", "_TRANSPORT"):
        cluster = admin.describe_cluster(timeout=within.left())
        topics = described()
        is_absent = topic is not None and isinstance(topics[topic], errors.UnknownTopicOrPartitionError)
        if topic is not None and is_absent and engine["allow_auto_create_topics"]:
            create(engine, topic, within)
            topics = described()
    found = ClusterMetadata()
    found.cluster_id = cluster.cluster_id
    found.controller_id = -1 if cluster.controller is None else cluster.controller
    found.brokers = {each.id: broker_metadata(each) for each in cluster.brokers}
    found.topics = {name: topic_metadata(name, each) for name, each in topics.items()}
    if cluster.brokers:
        found.orig_broker_id = cluster.brokers[0].id
        found.orig_broker_name = str(found.brokers[found.orig_broker_id])
    return found


def create(engine: Mapping[str, Any], topic: str, limit: TimeLimit) -> None:
    """Asks for a topic in a way that lets brokers create it, which an `Admin` does not.

    They say first that there is none, and not whether they create it.
    """
    settings = {name: value for name, value in engine.items() if name in ADMIN_SETTINGS & CONSUMER_SETTINGS}
    settings["topic_metadata_propagation_max_ms"] = CREATED_WITHIN_MS
    with suppress(errors.KafkaError), Derived(), quiet(kafkars.Consumer(**settings)) as asking:
        asking.partitions_for(topic, timeout=limit.left())


def groups_of(admin: kafkars.Admin, group: str | None, limit: float | None) -> list[GroupMetadata]:
    """Describes the groups, with their members."""
    if group is not None and not isinstance(group, str):
        raise TypeError(f"group must be str, not {type(group).__name__}")
    within = TimeLimit.of(limit)
    with translated("Failed to list groups"):
        # Each lists its own: to look up the coordinators of many groups would take a round trip each.
        coordinators: dict[str, int] = {}
        for broker, listed in admin._native.groups_by_broker([], [], within.left()).wait():
            if isinstance(listed, errors.KafkaError):
                raise listed
            coordinators.update((name, broker) for name, *_ in listed if group in {None, name})
        brokers = {each.id: each for each in admin.describe_cluster(timeout=within.left()).brokers}
        answered = dict(admin._native.classic_answers(list(coordinators), END_OF_VERSIONS, within.left()).wait())
        gone = [name for name, each in answered.items() if is_dead(each)]
        newer: Mapping[str, Any] = {}
        if gone:
            newer = admin.describe_groups(gone, timeout=within.left(), return_exceptions=True)
    found = []
    for name, each in answered.items():
        one = GroupMetadata()
        one.id = name
        one.broker = broker_of(coordinators[name], brokers)
        description = newer.get(name)
        if isinstance(each, errors.KafkaError):
            one.error = of_engine(each)
        elif isinstance(description, GroupDescription):
            of_newer_protocol(one, description)
        else:
            _, _, one.state, one.protocol_type, one.protocol, members, _ = each
            one.members = [group_member(member) for member in members]
        found.append(one)
    return found


def coordinator_of(admin: kafkars.Admin, group: str, described: Any, within: TimeLimit) -> int:
    """Returns the node id of the broker that coordinates a group, -1 where that is not known.

    A group that does not exist has one too, but its answer does not say which.
    """
    if isinstance(described, errors.GroupIdNotFoundError):
        with suppress(errors.KafkaError):
            return admin.find_coordinator(group, timeout=within.left())
    return described.coordinator if isinstance(described, GroupDescription) else -1


def is_dead(answered: Any) -> bool:
    """True for the answer of a group that is not there, or has the protocol of KIP-848."""
    return not isinstance(answered, errors.KafkaError) and answered[2] == "Dead"


def of_newer_protocol(one: GroupMetadata, described: GroupDescription) -> None:
    """Describes a group of KIP-848, of which the library hears that it is dead."""
    one.state, one.protocol_type, one.protocol = described.state, described.protocol_type, described.assignor
    one.members = [
        group_member((each.member_id, None, each.client_id, each.client_host, b"", b"")) for each in described.members
    ]


def broker_of(node: int, brokers: Mapping[int, Any]) -> BrokerMetadata:
    """Describes a broker, which may be gone from the cluster since it listed its groups."""
    found = BrokerMetadata()
    found.id = node
    return broker_metadata(brokers[node]) if node in brokers else found


def broker_metadata(broker: Any) -> BrokerMetadata:
    found = BrokerMetadata()
    found.id, found.host, found.port = broker.id, broker.host, broker.port
    return found


def topic_metadata(name: str, described: Any) -> TopicMetadata:
    found = TopicMetadata()
    found.topic = name
    if isinstance(described, errors.KafkaError):
        found.error = of_engine(described)
        return found
    for each in described.partitions:
        partition = PartitionMetadata()
        partition.id = each.partition
        partition.leader = -1 if each.leader is None else each.leader
        partition.replicas, partition.isrs = list(each.replicas), list(each.in_sync_replicas)
        found.partitions[each.partition] = partition
    return found


def group_member(row: Any) -> GroupMember:
    """Returns a member as DescribeGroups tells of it."""
    found = GroupMember()
    found.id, _, found.client_id, found.client_host, found.metadata, found.assignment = row
    return found
