"""The calls of both `Admin` classes: their requests, and the results that are made of the responses. The classes only
differ in how they wait.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Generic, Literal, ParamSpec, TypeVar, cast

from kafkars._kafkars import Admin as Native
from kafkars._kafkars import AdminRequest
from kafkars.admin import acls
from kafkars.admin.types import (
    BrokerInfo,
    ClusterDescription,
    ConfigChange,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ConfigSynonym,
    CreatedTopic,
    GroupDescription,
    GroupListing,
    GroupMember,
    ListedOffset,
    NewTopic,
    OffsetSpec,
    ResourceType,
    TopicDescription,
)
from kafkars.errors import InvalidArgumentError, KafkaError
from kafkars.types import OffsetAndMetadata, TopicPartition

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")

RESOURCE_TYPES: dict[str, int] = {"topic": 2, "broker": 4, "broker_logger": 8, "client_metrics": 16, "group": 32}
OFFSETS: dict[str, int] = {"latest": -1, "earliest": -2, "max_timestamp": -3}
ELECTIONS: dict[str, int] = {"preferred": 0, "unclean": 1}
OPERATIONS: dict[str, int] = {"set": 0, "delete": 1, "append": 2, "subtract": 3}


def in_range(call: Callable[P, T]) -> Callable[P, T]:
    """Decorates a call: a number too large for its field in Kafka's protocol raises `InvalidArgumentError`."""

    @wraps(call)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except OverflowError as error:
            raise InvalidArgumentError(f"{call.__name__}(): a number is out of range: {error}") from None

    return checked


@dataclass(frozen=True)
class AdminCall(Generic[T]):
    """A request, and the function that makes the result of its response."""

    request: AdminRequest
    result: Callable[[Any], T]


@in_range
def create_topics(
    native: Native,
    topics: Iterable[NewTopic],
    *,
    validate_only: bool,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[str, CreatedTopic]]:
    def arguments(topic: NewTopic) -> tuple[Any, ...]:
        assignments = [list(brokers) for brokers in topic.assignments]
        # With assignments Kafka wants both numbers to be -1, because they follow from them.
        numbers = (-1, -1) if assignments else (topic.partitions, topic.replication_factor)
        configs = [
            (name, as_text(f"configs of topic {topic.name!r}", name, value)) for name, value in topic.configs.items()
        ]
        return (topic.name, *numbers, assignments, configs)

    request = native.create_topics([arguments(topic) for topic in several(topics, NewTopic)], validate_only, timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, str, created))


@in_range
def delete_topics(
    native: Native, topics: Iterable[str], *, timeout: float | None, return_exceptions: bool
) -> AdminCall[dict[str, None]]:
    return AdminCall(
        native.delete_topics(several(topics, str), timeout),
        lambda answer: gathered(answer, return_exceptions, str, nothing),
    )


@in_range
def create_partitions(
    native: Native,
    totals: Mapping[str, int],
    *,
    assignments: Mapping[str, Iterable[Iterable[int]]] | None,
    validate_only: bool,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[str, None]]:
    wanted = dict(pairs(totals))
    chosen = {name: [list(brokers) for brokers in each] for name, each in pairs(assignments or {})}
    if unknown := chosen.keys() - wanted.keys():
        raise InvalidArgumentError(f"assignments: {sorted(unknown)} have no total number of partitions")
    growth = [(name, total, chosen.get(name, [])) for name, total in wanted.items()]
    return AdminCall(
        native.create_partitions(growth, validate_only, timeout),
        lambda answer: gathered(answer, return_exceptions, str, nothing),
    )


@in_range
def list_topics(native: Native, *, include_internal: bool, timeout: float | None) -> AdminCall[list[str]]:
    def names(answer: list[tuple[str, Any]]) -> list[str]:
        described = [(name, found) for name, found in answer if not isinstance(found, BaseException)]
        return [name for name, (_, is_internal, *_) in described if include_internal or not is_internal]

    return AdminCall(native.describe_topics(None, False, timeout), names)


@in_range
def describe_topics(
    native: Native,
    topics: Iterable[str] | None,
    *,
    include_authorized_operations: bool,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[str, TopicDescription]]:
    def described(name: str, row: tuple[Any, ...]) -> TopicDescription:
        topic_id, is_internal, found, authorized = row
        return TopicDescription(name, topic_id, is_internal, found, acls.operations(authorized))

    names = None if topics is None else several(topics, str)
    return AdminCall(
        native.describe_topics(names, bool(include_authorized_operations), timeout),
        lambda answer: gathered(answer, return_exceptions, str, described),
    )


@in_range
def describe_configs(
    native: Native,
    resources: Iterable[ConfigResource | tuple[str, str]],
    *,
    include_synonyms: bool,
    include_documentation: bool,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[ConfigResource, dict[str, ConfigEntry]]]:
    asked = [resource(one) for one in several(resources, tuple)]
    request = native.describe_configs(asked, include_synonyms, include_documentation, timeout)
    return AdminCall(
        request,
        lambda answer: gathered(
            answer, return_exceptions, resource_back, lambda _, rows: {row[0]: entry(row) for row in rows}
        ),
    )


@in_range
def alter_configs(
    native: Native,
    changes: Mapping[ConfigResource, Mapping[str, ConfigChange | str | None]],
    *,
    validate_only: bool,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[ConfigResource, None]]:
    def change(name: str, wanted: ConfigChange | str | None) -> tuple[str, int, str | None]:
        if isinstance(wanted, ConfigChange):
            if wanted.operation not in OPERATIONS:
                known = ", ".join(map(repr, OPERATIONS))
                raise InvalidArgumentError(f"{name}: {wanted.operation!r} is no operation; one of {known}")
            return name, OPERATIONS[wanted.operation], as_text("changes", name, wanted.value)
        return name, OPERATIONS["delete" if wanted is None else "set"], as_text("changes", name, wanted)

    asked = [(resource(of), [change(*item) for item in pairs(wanted)]) for of, wanted in pairs(changes)]
    return AdminCall(
        native.alter_configs(asked, validate_only, timeout),
        lambda answer: gathered(answer, return_exceptions, resource_back, nothing),
    )


@in_range
def list_groups(
    native: Native, *, states: Iterable[str], types: Iterable[str], timeout: float | None
) -> AdminCall[list[GroupListing]]:
    request = native.list_groups(several(states, str), several(types, str), timeout)
    return AdminCall(request, lambda answer: [GroupListing(*row) for row in answer])


@in_range
def describe_groups(
    native: Native,
    groups: Iterable[str],
    *,
    include_authorized_operations: bool,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[str, GroupDescription]]:
    def described(name: str, row: tuple[Any, ...]) -> GroupDescription:
        group_type, state, protocol_type, assignor, rows, node, authorized = row
        members = tuple(GroupMember(*member) for member in rows)
        operations = acls.operations(authorized)
        return GroupDescription(name, group_type, state, protocol_type, assignor, members, node, operations)

    request = native.describe_groups(several(groups, str), bool(include_authorized_operations), timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, str, described))


@in_range
def delete_groups(
    native: Native, groups: Iterable[str], *, timeout: float | None, return_exceptions: bool
) -> AdminCall[dict[str, None]]:
    request = native.delete_groups(several(groups, str), timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, str, nothing))


@in_range
def list_group_offsets(
    native: Native,
    groups: Iterable[str] | Mapping[str, Iterable[tuple[str, int]] | None],
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[str, dict[TopicPartition, OffsetAndMetadata]]]:
    asked = groups if isinstance(groups, Mapping) else dict.fromkeys(several(groups, str))
    wanted = [(group, None if of is None else partitions(of)) for group, of in pairs(asked)]
    request = native.list_group_offsets(wanted, timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, str, lambda _, rows: dict(rows)))


@in_range
def alter_group_offsets(
    native: Native,
    group: str,
    offsets: Mapping[tuple[str, int], int | OffsetAndMetadata],
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[TopicPartition, None]]:
    def commit(of: tuple[str, int], wanted: int | OffsetAndMetadata) -> tuple[tuple[str, int], int, int | None, str]:
        whole = wanted if isinstance(wanted, OffsetAndMetadata) else OffsetAndMetadata(wanted)
        return (partition(of), whole.offset, whole.leader_epoch, whole.metadata)

    request = native.alter_group_offsets(group, [commit(*item) for item in pairs(offsets)], timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, itself, nothing))


@in_range
def delete_group_offsets(
    native: Native,
    group: str,
    which: Iterable[tuple[str, int]],
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[TopicPartition, None]]:
    request = native.delete_group_offsets(group, partitions(which), timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, itself, nothing))


@in_range
def delete_records(
    native: Native,
    before: Mapping[tuple[str, int], int],
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[TopicPartition, int]]:
    request = native.delete_records([(partition(of), offset) for of, offset in pairs(before)], timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, itself, lambda _, first: int(first)))


@in_range
def list_offsets(
    native: Native,
    wanted: Mapping[tuple[str, int], OffsetSpec | int | dt.datetime],
    *,
    isolation_level: Literal["read_uncommitted", "read_committed"],
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[TopicPartition, ListedOffset]]:
    if isolation_level not in {"read_committed", "read_uncommitted"}:
        raise InvalidArgumentError(
            f"isolation_level: {isolation_level!r} is neither read_committed nor read_uncommitted"
        )

    def number(spec: OffsetSpec | int | dt.datetime) -> int | dt.datetime:
        if isinstance(spec, str) and spec in OFFSETS:
            return OFFSETS[spec]
        if isinstance(spec, dt.datetime) or (isinstance(spec, int) and spec >= 0):
            return spec
        known = ", ".join(map(repr, OFFSETS))
        raise InvalidArgumentError(
            f"{spec!r} is no offset to ask for; one of {known}, or a timestamp: ms since 1970, or a datetime"
        )

    asked = [(partition(of), number(spec)) for of, spec in pairs(wanted)]
    request = native.list_offsets(asked, isolation_level == "read_committed", timeout)
    return AdminCall(
        request, lambda answer: gathered(answer, return_exceptions, itself, lambda _, found: ListedOffset(*found))
    )


@in_range
def describe_cluster(
    native: Native, *, include_authorized_operations: bool, timeout: float | None
) -> AdminCall[ClusterDescription]:
    def described(answer: tuple[Any, ...]) -> ClusterDescription:
        cluster_id, controller, rows, authorized = answer
        brokers = tuple(BrokerInfo(*broker) for broker in rows)
        return ClusterDescription(cluster_id, controller, brokers, acls.operations(authorized))

    return AdminCall(native.describe_cluster(bool(include_authorized_operations), timeout), described)


@in_range
def find_coordinator(
    native: Native, key: str, *, kind: Literal["group", "transaction"], timeout: float | None
) -> AdminCall[int]:
    if kind not in {"group", "transaction"}:
        raise InvalidArgumentError(f"kind: {kind!r} is neither 'group' nor 'transaction'")
    return AdminCall(native.find_coordinator(key, kind == "transaction", timeout), int)


@in_range
def elect_leaders(
    native: Native,
    election_type: Literal["preferred", "unclean"],
    which: Iterable[tuple[str, int]] | None,
    *,
    timeout: float | None,
    return_exceptions: bool,
) -> AdminCall[dict[TopicPartition, None]]:
    if election_type not in ELECTIONS:
        raise InvalidArgumentError(f"election_type: {election_type!r} is neither 'preferred' nor 'unclean'")
    asked = None if which is None else partitions(which)
    request = native.elect_leaders(ELECTIONS[election_type], asked, timeout)
    return AdminCall(request, lambda answer: gathered(answer, return_exceptions, itself, nothing))


def partition(of: Any) -> tuple[str, int]:
    if not isinstance(of, tuple) or len(of) != 2:  # noqa: PLR2004  # topic and number
        raise TypeError(f"expected a TopicPartition or a (topic, partition) tuple, not {of!r}")
    return of[0], of[1]


def partitions(of: Any) -> list[tuple[str, int]]:
    """Returns the partitions as tuples, each once, in their order."""
    if isinstance(of, (str, bytes)):
        raise TypeError(f"expected partitions in a list, not {of!r}")
    return list(dict.fromkeys(partition(one) for one in of))


def pairs(values: Mapping[K, T]) -> list[tuple[K, T]]:
    """Returns the items of a dict, and of nothing else."""
    if not isinstance(values, Mapping):
        raise TypeError(f"expected a dict, not {values!r}")
    return list(values.items())


def several(values: Iterable[T], kind: type) -> list[T]:
    """Returns a list. One text where several are expected is an error, or it would be taken for one-letter names."""
    if isinstance(values, (str, bytes, NewTopic, ConfigResource)):
        raise TypeError(f"expected several in a list, not {values!r}; write [{values!r}]")
    listed = list(values)
    for value in listed:
        if not isinstance(value, kind):
            expected = 'ConfigResource or ("topic", name)' if kind is tuple else kind.__name__
            raise TypeError(f"expected {expected}, not {value!r}")
    return listed


def as_text(where: str, name: str, value: object) -> str | None:
    """Returns the value of a topic's setting as text, which it is in Kafka's protocol."""
    if value is None or isinstance(value, str):
        return value
    written = str(value).lower() if isinstance(value, bool) else str(value)
    advice = f'; write "{written}"' if isinstance(value, int | float) else ""
    raise TypeError(f"{where}: {name!r} is set to {type(value).__name__}, and values are text{advice}")


def resource(of: ConfigResource | tuple[str, str]) -> tuple[int, str]:
    """Returns the number of a resource's type, and its name."""
    kind, name = of
    if kind not in RESOURCE_TYPES:
        raise InvalidArgumentError(f"{kind!r} is no type of resource; one of {', '.join(map(repr, RESOURCE_TYPES))}")
    return RESOURCE_TYPES[kind], str(name)


def resource_back(row: tuple[int, str]) -> ConfigResource:
    number, name = row
    kind = next(kind for kind, known in RESOURCE_TYPES.items() if known == number)
    return ConfigResource(cast("ResourceType", kind), name)


def gathered(
    answer: list[tuple[Any, Any]],
    return_exceptions: bool,
    key: Callable[[Any], K],
    value: Callable[[Any, Any], T],
) -> dict[K, T]:
    """Returns one entry for each thing asked about, in order; as with `asyncio.gather` a failure is raised or becomes a
    value.
    """
    results: dict[K, Any] = {}
    for row, found in answer:
        if isinstance(found, KafkaError):
            if not return_exceptions:
                raise found
            results[key(row)] = found
        else:
            results[key(row)] = value(row, found)
    return results


def created(name: str, found: tuple[Any, ...]) -> CreatedTopic:
    topic_id, partitions, replication_factor, configs = found
    return CreatedTopic(name, topic_id, partitions, replication_factor, {row[0]: entry(row) for row in configs})


def entry(row: tuple[Any, ...]) -> ConfigEntry:
    name, value, is_read_only, is_sensitive, source, value_type, documentation, synonyms = row
    others = tuple(ConfigSynonym(other, set_to, ConfigSource(of)) for other, set_to, of in synonyms)
    return ConfigEntry(name, value, is_read_only, is_sensitive, ConfigSource(source), value_type, documentation, others)


def itself(row: K) -> K:
    return row


def nothing(_key: object, _found: object) -> None:
    return None
