"""Checks of arguments of `AdminClient`, before any request is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from kafkars.compat.confluent_kafka._model import ConsumerGroupTopicPartitions
from kafkars.compat.confluent_kafka._new_topic import NewPartitions, NewTopic
from kafkars.compat.confluent_kafka._partition import TopicPartition

T = TypeVar("T")

FLAGS = {"include_authorized_operations", "require_stable", "validate_only"}
LONGEST_SECONDS = 3600.0
MOST_PARTITIONS = 100_000
MOST_REPLICAS = 10_000


def listed(given: Any, kind: type[T], what: str, stranger: type[Exception] = TypeError) -> list[T]:
    """Checks for a list with at least one member, all of one type.

    As in the library, members are looked at first, whatever they are in.
    """
    if not isinstance(given, Iterable):
        raise TypeError(f"expected a list of {what}, not {type(given).__name__}")
    for each in given:
        if not isinstance(each, kind):
            raise stranger(f"expected a list of {what}; {each!r} is none")
    if not (isinstance(given, list) and given):
        raise ValueError(f"expected a list of {what} with at least one member")
    return given


def distinct(given: Any, kind: type[T], what: str) -> list[T]:
    """Checks for such a list in which nothing is twice, because there is one future for each."""
    seen: set[T] = set()
    for each in listed(given, kind, what, ValueError):
        if each in seen:
            raise ValueError(f"{each!r} is there twice")
        seen.add(each)
    return list(given)


def texts(given: Any, what: str, stranger: type[Exception] = TypeError) -> list[str]:
    """Checks for a list of texts with at least one member. None among them is ValueError, as in the library."""
    if not isinstance(given, list):
        raise TypeError(f"expected a list of {what}, not {type(given).__name__}")
    if not given:
        raise ValueError(f"expected a list of {what} with at least one member")
    for each in given:
        if not isinstance(each, str):
            raise (ValueError if each is None else stranger)(f"expected a list of {what}; {each!r} is none")
    return given


def options(given: Mapping[str, Any], *known: str) -> dict[str, Any]:
    """Keyword arguments of a call; `request_timeout` is what the engine calls timeout."""
    for name in given:
        if name not in {"request_timeout", *known}:
            raise TypeError(f"{name!r} is an invalid keyword argument; there are request_timeout, {', '.join(known)}")
    for name in ("request_timeout", "operation_timeout"):
        if name not in given:
            continue
        value = given[name]
        if not isinstance(value, int | float):
            raise TypeError(f"{name} must be a real number, not {type(value).__name__}")
        if not 0 <= value <= LONGEST_SECONDS:
            raise ValueError(f"{name}: {value} s is outside of 0 to {LONGEST_SECONDS:.0f}")
    for name in FLAGS & given.keys():
        if not isinstance(given[name], bool):
            raise TypeError(f"{name} must be a bool, not {type(given[name]).__name__}")
    return {**dict.fromkeys(known), **given, "timeout": given.get("request_timeout")}


def partitions(given: Any, *, offsets: bool | None, of: str = "") -> list[TopicPartition]:
    """Partitions with names and numbers: of groups with offsets or without, of others with either. `of` is what errors
    call the list.
    """
    for each in given:
        if each is None and offsets is not None:
            raise ValueError("expected TopicPartition, not None")
        if not isinstance(each, TopicPartition):
            raise TypeError(
                f"Element of the {of} list must be of type 'TopicPartition' got '{type(each).__name__}'"
                if of
                else f"expected TopicPartition, not {type(each).__name__}"
            )
        if not each.topic:
            raise ValueError("a TopicPartition has no topic")
        if each.partition < 0:
            raise ValueError(f"partition of {each.topic!r} is {each.partition}: it must be 0 or above")
        if offsets is True and each.offset < 0:
            raise ValueError(f"offset of {each.topic!r} [{each.partition}] is {each.offset}: it must be 0 or above")
        if offsets is False and each.offset != UNSET:
            raise ValueError(f"offset of {each.topic!r} [{each.partition}] is {each.offset}: it must not be set")
    return list(given)


def new_topic(topic: NewTopic) -> None:
    """Checks a topic to create.

    Raises:
        ValueError: A number is out of range, or does not go with the replica_assignment: another topic than the one
            that was asked for would be created.
    """
    for name, count, most in (
        ("num_partitions", topic.num_partitions, MOST_PARTITIONS),
        ("replication_factor", topic.replication_factor, MOST_REPLICAS),
    ):
        if not -1 <= count <= most:
            raise ValueError(f"{name} of topic {topic.topic!r} is {count}: it must be between -1 and {most}")
    assigned = topic.replica_assignment
    if assigned is None:
        return
    if topic.replication_factor != -1:
        raise ValueError(f"topic {topic.topic!r} has both a replication_factor and a replica_assignment")
    replicas(topic.topic, assigned)
    if len(assigned) != max(topic.num_partitions, 0):
        counts = f"num_partitions {topic.num_partitions} and a replica_assignment of {len(assigned)}"
        raise ValueError(f"topic {topic.topic!r} has {counts}: they must be as many")


def new_partitions(topic: NewPartitions) -> None:
    """Checks partitions to create.

    Raises:
        ValueError: The number is out of range, or the replica_assignment is none.
    """
    if not 1 <= topic.new_total_count <= MOST_PARTITIONS:
        raise ValueError(
            f"new_total_count of topic {topic.topic!r} is {topic.new_total_count}: it must be between 1 and "
            f"{MOST_PARTITIONS}"
        )
    if topic.replica_assignment is not None:
        replicas(topic.topic, topic.replica_assignment)
        if not topic.replica_assignment:
            raise ValueError(f"the replica_assignment of topic {topic.topic!r} is empty")


def replicas(topic: str, assigned: object) -> None:
    """Checks for a list of lists of brokers' numbers."""
    for each in assigned if isinstance(assigned, list) else [None]:
        if not (isinstance(each, list) and each and all(isinstance(broker, int) for broker in each)):
            raise ValueError(f"the replica_assignment of topic {topic!r} must be a list of lists of broker ids")


UNSET = -1001
"""`OFFSET_INVALID`."""


def group_partitions(given: Any, *, offsets: bool) -> tuple[str, list[TopicPartition] | None]:
    """One group and its partitions."""
    if not isinstance(given, list):
        raise TypeError(f"expected a list of ConsumerGroupTopicPartitions, not {type(given).__name__}")
    if len(given) != 1:
        raise ValueError(f"expected one consumer group, not {len(given)}")
    (asked,) = given
    if not isinstance(asked, ConsumerGroupTopicPartitions):
        raise TypeError(f"expected ConsumerGroupTopicPartitions, not {type(asked).__name__}")
    if not isinstance(asked.group_id, str):
        raise TypeError(f"group_id must be str, not {type(asked.group_id).__name__}")
    if not asked.group_id:
        raise ValueError("group_id cannot be empty")
    if asked.topic_partitions is None:
        if offsets:
            raise ValueError("topic_partitions cannot be None: name the offsets to set")
        return asked.group_id, None
    if not isinstance(asked.topic_partitions, list):
        raise TypeError(f"topic_partitions must be a list, not {type(asked.topic_partitions).__name__}")
    if not asked.topic_partitions:
        raise ValueError("topic_partitions cannot be empty")
    return asked.group_id, partitions(asked.topic_partitions, offsets=offsets)
