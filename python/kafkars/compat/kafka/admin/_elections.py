"""Elections of leaders, for the administration clients of kafka-python 2 and 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any, TypeVar

import kafkars
from kafkars.compat.kafka.admin._answers import code_of
from kafkars.errors import KafkaError

T = TypeVar("T")
Rows = list[tuple[str, list[tuple[int, int, "str | None"]]]]


class ElectionType(IntEnum):
    """The kind of an election: which replica becomes the leader."""

    PREFERRED = 0
    UNCLEAN = 1


def named_partitions(admin: kafkars.Admin, given: Any, seconds: float) -> list[tuple[str, int]]:
    """Returns partitions, given as numbers by topic or as topics; None means all."""
    if isinstance(given, Mapping):
        return [(topic, number) for topic, numbers in given.items() for number in numbers]
    names = None if given is None else list(given)
    found: Mapping[str, Any] = admin.describe_topics(names, timeout=seconds, return_exceptions=True)
    known = {topic: each for topic, each in found.items() if not isinstance(each, KafkaError)}
    return [(topic, each.partition) for topic, described in known.items() for each in described.partitions]


def elect(admin: kafkars.Admin, kind: ElectionType, wanted: list[tuple[str, int]], seconds: float) -> Rows:
    """Elects leaders. Returns for each topic its partitions with number, error code and message."""
    found: Mapping[Any, Any] = admin.elect_leaders(
        "unclean" if kind is ElectionType.UNCLEAN else "preferred", wanted, timeout=seconds, return_exceptions=True
    )
    rows = by_topic((place, code_of(each)) for place, each in found.items())
    return [(topic, [(number, *coded) for number, coded in each]) for topic, each in rows]


def by_topic(found: Iterable[tuple[Any, T]]) -> list[tuple[str, list[tuple[int, T]]]]:
    """Groups results of partitions by topic."""
    topics: dict[str, list[tuple[int, T]]] = {}
    for (topic, number), each in found:
        topics.setdefault(topic, []).append((number, each))
    return list(topics.items())
