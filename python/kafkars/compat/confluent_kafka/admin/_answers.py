"""Translation of kafkars' results to the classes of the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from operator import itemgetter
from typing import Any

from kafkars import errors
from kafkars._times import Milliseconds
from kafkars.admin import ConfigResource as EngineResource
from kafkars.admin import ConfigSource as EngineSource
from kafkars.admin import acls
from kafkars.compat.confluent_kafka._arguments import committed_text
from kafkars.compat.confluent_kafka._model import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    Node,
    TopicPartitionInfo,
    Uuid,
)
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._translate import of_engine
from kafkars.compat.confluent_kafka.admin._acl import AclOperation
from kafkars.compat.confluent_kafka.admin._resources import ConfigEntry, ConfigResource, ConfigSource, ResourceType
from kafkars.compat.confluent_kafka.admin._results import (
    ConsumerGroupDescription,
    ConsumerGroupListing,
    DescribeClusterResult,
    ListConsumerGroupsResult,
    MemberAssignment,
    MemberDescription,
    OffsetSpec,
    TopicDescription,
)

STATES = {
    "PreparingRebalance": ConsumerGroupState.PREPARING_REBALANCING,
    "CompletingRebalance": ConsumerGroupState.COMPLETING_REBALANCING,
    "Stable": ConsumerGroupState.STABLE,
    "Dead": ConsumerGroupState.DEAD,
    "Empty": ConsumerGroupState.EMPTY,
    "Unknown": ConsumerGroupState.UNKNOWN,
}
"""Group states that the library has names for; those of the newer protocol are UNKNOWN."""

TYPES = {"Consumer": ConsumerGroupType.CONSUMER, "Classic": ConsumerGroupType.CLASSIC}

RESOURCES = {ResourceType.TOPIC: "topic", ResourceType.GROUP: "group", ResourceType.BROKER: "broker"}

SOURCES = {each.value for each in ConfigSource}


def unless_error(found: Any, make: Callable[[Any], Any]) -> Any:
    """Decorates a conversion: errors are returned as they are."""
    return found if isinstance(found, BaseException) else make(found)


def nodes(described: Any) -> dict[int, Node]:
    """Returns brokers by their ids."""
    return {each.id: Node(each.id, each.host, each.port, each.rack) for each in described.brokers}


def cluster(described: Any) -> DescribeClusterResult:
    known = nodes(described)
    return DescribeClusterResult(
        known.get(described.controller),
        list(known.values()),
        described.cluster_id,
        operations(described.authorized_operations),
    )


def topic(described: Any, known: Mapping[int, Node]) -> TopicDescription:
    def several(ids: Sequence[int]) -> list[Node]:
        return [known.get(each) or Node(each, "", -1) for each in ids]

    partitions = [
        TopicPartitionInfo(
            each.partition,
            None if each.leader is None else several([each.leader])[0],
            several(each.replicas),
            several(each.in_sync_replicas),
        )
        for each in described.partitions
    ]
    authorized = operations(described.authorized_operations)
    return TopicDescription(described.name, uuid(described.topic_id), described.is_internal, partitions, authorized)


def operations(found: frozenset[Any] | None) -> list[AclOperation] | None:
    """What is authorized, by its numbers; None where that was not asked. What the library has no name for is left
    out.
    """
    if found is None:
        return None
    numbers = {acls.OPERATIONS[each] for each in found}
    return [each for each in AclOperation if each.value in numbers]


def uuid(text: str | None) -> Uuid | None:
    """Returns an id from Kafka's text form."""
    import base64  # noqa: PLC0415  only where topics are described

    if text is None:
        return None
    whole = base64.urlsafe_b64decode(text + "==")
    return Uuid(int.from_bytes(whole[:8], "big", signed=True), int.from_bytes(whole[8:], "big", signed=True))


def resource(given: ConfigResource) -> EngineResource:
    """Returns a resource in kafkars' form.

    Raises:
        ValueError: Resources of this type have no settings.
    """
    kind: Any = RESOURCES.get(given.restype)
    if kind is None:
        raise ValueError(f"{given!r} has no settings: those of topics, brokers and groups can be asked for")
    return EngineResource(kind, str(given.name))


def configs(found: Mapping[str, Any]) -> dict[str, ConfigEntry]:
    return {name: entry(each) for name, each in found.items()}


def entry(found: Any) -> ConfigEntry:
    # The library has the number here, not the member of the enumeration.
    source: Any = int(found.source) if int(found.source) in SOURCES else 0
    synonyms = {}
    for each in found.synonyms:
        number: Any = int(each.source) if int(each.source) in SOURCES else 0
        synonyms[each.name] = ConfigEntry(each.name, each.value, number, is_synonym=True)
    return ConfigEntry(
        found.name, found.value, source, found.is_read_only, found.is_default, found.is_sensitive, synonyms=synonyms
    )


OWN_SOURCES = {
    "topic": EngineSource.DYNAMIC_TOPIC_CONFIG,
    "group": EngineSource.GROUP_CONFIG,
    "broker": EngineSource.DYNAMIC_BROKER_CONFIG,
}


def overrides(of: EngineResource, described: Mapping[str, Any]) -> dict[str, None]:
    """Returns changes that reset the settings of a resource to their defaults."""
    return {name: None for name, each in described.items() if each.source is OWN_SOURCES[of.type]}


def names(given: Any, what: str, kind: type[Enum]) -> list[str]:
    """Returns kafkars' names of states or types."""
    if given is None:
        return []
    if not isinstance(given, set):
        raise TypeError(f"{what} must be a set of {kind.__name__}, not {type(given).__name__}")
    known: dict[Any, str] = {each: name for name, each in (STATES if kind is ConsumerGroupState else TYPES).items()}
    for each in given:
        if not isinstance(each, kind):
            raise TypeError(f"{what}: expected {kind.__name__}, not {each!r}")
        if each not in known:
            raise ValueError(f"{what}: {each} is nothing that groups can be asked for by")
    return [known[each] for each in given]


def listings(ask: Callable[[], Sequence[tuple[int, Any]]]) -> ListConsumerGroupsResult:
    """Returns the groups of the brokers that tell them; why others do not is part of the result, as in the library."""
    try:
        answered = ask()
    except errors.KafkaError as problem:
        return ListConsumerGroupsResult([], [of_engine(problem)])
    failed = [each for _, each in answered if isinstance(each, errors.KafkaError)]
    rows = (row for _, each in answered if not isinstance(each, errors.KafkaError) for row in each)
    valid = [
        ConsumerGroupListing(
            group_id,
            not protocol_type,
            STATES.get(state or "", ConsumerGroupState.UNKNOWN),
            TYPES.get(group_type or "", ConsumerGroupType.UNKNOWN),
        )
        for group_id, protocol_type, state, group_type in sorted(rows, key=itemgetter(0))
    ]
    return ListConsumerGroupsResult(valid, [of_engine(each) for each in failed])


def group(name: str, found: Any, coordinator: Node | None) -> Any:
    """Returns a group; one that does not exist is described as dead."""
    if isinstance(found, errors.GroupIdNotFoundError):
        return ConsumerGroupDescription(
            name, True, [], "", ConsumerGroupState.DEAD, coordinator, type=ConsumerGroupType.CLASSIC
        )
    return unless_error(found, lambda found: described_group(found, coordinator))


def described_group(found: Any, coordinator: Node | None) -> ConsumerGroupDescription:
    members = [
        MemberDescription(
            each.member_id,
            each.client_id,
            each.client_host,
            member_assignment(each.assignment),
            each.group_instance_id,
            None if each.target_assignment is None else member_assignment(each.target_assignment),
        )
        for each in found.members
    ]
    return ConsumerGroupDescription(
        found.group_id,
        not found.protocol_type,
        members,
        found.assignor,
        STATES.get(found.state, ConsumerGroupState.UNKNOWN),
        coordinator,
        operations(found.authorized_operations),
        TYPES.get(found.group_type, ConsumerGroupType.UNKNOWN),
    )


def member_assignment(partitions: Iterable[Any]) -> MemberAssignment:
    return MemberAssignment([TopicPartition(of, number) for of, number in partitions])


def committed(name: str, found: Mapping[Any, Any], wanted: Sequence[Any] | None) -> ConsumerGroupTopicPartitions:
    """What a group has committed: of the partitions that were asked for, -1001 where nothing; of all otherwise."""
    partitions = []
    for topic, partition in sorted(found) if wanted is None else wanted:
        offset = found.get((topic, partition))
        if offset is None:
            partitions.append(TopicPartition(topic, partition))
        else:
            metadata = committed_text(offset.metadata)
            partitions.append(TopicPartition(topic, partition, offset.offset, metadata, offset.leader_epoch))
    return ConsumerGroupTopicPartitions(name, partitions)


def altered(name: str, wanted: Sequence[TopicPartition], found: Mapping[Any, Any]) -> ConsumerGroupTopicPartitions:
    """Returns offsets as they were committed, each with its error."""
    partitions = []
    for each in wanted:
        one = TopicPartition(each.topic, each.partition, each.offset, each.metadata, each.leader_epoch)
        problem = found.get((each.topic, each.partition))
        if isinstance(problem, errors.KafkaError):
            one._error = of_engine(problem)
        partitions.append(one)
    return ConsumerGroupTopicPartitions(name, partitions)


SPECS: dict[int, Any] = {-2: "earliest", -1: "latest", -3: "max_timestamp"}


def spec(given: OffsetSpec) -> Any:
    """Returns an offset to look up in kafkars' form."""
    return SPECS.get(given._value, Milliseconds(given._value))
