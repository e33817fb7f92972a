"""Questions of a consumer about offsets of partitions: those of their ends, and those that belong to times.

One request asks about all partitions, within one time limit. Where something is wrong with one of them, each is asked
about alone, so that the others have their answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from kafkars import errors
from kafkars._times import Milliseconds
from kafkars.compat.confluent_kafka._arguments import Place, place
from kafkars.compat.confluent_kafka._assignment import Assignment
from kafkars.compat.confluent_kafka._codes import BROKER
from kafkars.compat.confluent_kafka._offsets import END
from kafkars.compat.confluent_kafka._partition import TopicPartition
from kafkars.compat.confluent_kafka._time_limit import TimeLimit
from kafkars.compat.confluent_kafka._translate import local_error, of_engine, refusal
from kafkars.compat.confluent_kafka.error import KafkaError, KafkaException

LOOK_SECONDS = 1.0
"""Seconds after which a question checks whether its topics exist, and for which it may do so."""

Found = TypeVar("Found")


class Lookups:
    """The questions of one consumer.

    Args:
        engine: The engine's consumer.
        refused: Tells which of some topics are not there for this client, with the codes that say why.
        assignment: The consumer's partitions, whose topics are known to be there.
    """

    def __init__(
        self, engine: Any, refused: Callable[[list[str], float | None], list[tuple[str, int]]], assignment: Assignment
    ) -> None:
        self._engine = engine
        self._refused = refused
        self._assignment = assignment

    def watermarks(self, at: Place, timeout: float | None) -> tuple[int, int]:
        """Returns the low and the high watermark of a partition."""
        limit = TimeLimit.of(timeout)
        self._check(at[0], limit=limit)
        low = self._ask([at[0]], limit, lambda left: self._engine.beginning_offsets([at], timeout=left))
        high = self._ask([at[0]], limit, lambda left: self._engine.end_offsets([at], timeout=left))
        self._assignment.topics.add(at[0])
        return low[at], high[at]

    def for_times(self, asked: Sequence[TopicPartition], timeout: float | None) -> list[TopicPartition]:
        """Returns for each partition the offset that belongs to the time in `offset`, or an error."""
        limit = TimeLimit.of(timeout)
        answers: dict[int, TopicPartition] = {}
        for numbers in together(asked):
            answers.update(zip(numbers, self._answers([asked[number] for number in numbers], limit), strict=True))
        return [answers[number] for number in range(len(asked))]

    def _answers(self, asked: list[TopicPartition], limit: TimeLimit) -> list[TopicPartition]:
        """Returns the answers for partitions that can be asked about together."""
        topics = sorted({each.topic for each in asked})
        try:
            self._check(*topics, limit=limit)
            answers = self._ask(topics, limit, partial(self._offsets_for_times, asked))
        except unknown() as problem:
            if len(asked) > 1:
                return [answer for each in asked for answer in self._answers([each], limit)]
            return [asked[0]._answer(error=of_lookup(problem))]
        self._assignment.topics.update(topics)
        return answers

    def _offsets_for_times(self, asked: list[TopicPartition], timeout: float | None) -> list[TopicPartition]:
        """The answers for partitions, once each, that are all asked about in one way."""
        if asked[0].offset < 0:
            ends = self._engine.end_offsets if asked[0].offset == END else self._engine.beginning_offsets
            offsets = ends([place(each) for each in asked], timeout=timeout)
            return [each._answer(offsets[place(each)]) for each in asked]
        times = {place(each): Milliseconds(each.offset) for each in asked}
        found = self._engine.offsets_for_times(times, timeout=timeout)
        answers = []
        for each in asked:
            at = found[place(each)]
            answers.append(each._answer(END) if at is None else each._answer(at.offset, leader_epoch=at.leader_epoch))
        return answers

    def _ask(self, topics: list[str], limit: TimeLimit, ask: Callable[[float | None], Found]) -> Found:
        """Asks; if no answer comes for a while, a topic may have been deleted, which kafkars would wait for as for one
        that may be created soon.
        """
        try:
            return ask(limit.within(LOOK_SECONDS))
        except unknown():
            raise
        except errors.KafkaError:
            if limit.left() == 0:
                raise
            self._check_there(topics, limit)
        return ask(limit.left())

    def _check(self, *topics: str, limit: TimeLimit) -> None:
        """Checks that topics exist: kafkars would wait for one that may be created soon, and the library does not."""
        assigned = {topic for topic, _ in self._assignment.places()}
        others = [topic for topic in topics if topic not in assigned]
        if others:
            self._check_known(others, limit.left())

    def _check_there(self, topics: list[str], limit: TimeLimit) -> None:
        """Checks that topics exist, as far as that can be told."""
        try:
            self._check_known(topics, limit.within(LOOK_SECONDS))
        except unknown():
            raise
        except errors.KafkaError:
            return

    def _check_known(self, topics: list[str], timeout: float | None) -> None:
        for name, code in self._refused(topics, timeout):
            if code == BROKER["TOPIC_AUTHORIZATION_FAILED"]:
                raise errors.TopicAuthorizationFailedError(f"this client may not be told of topic {name!r}", topic=name)
            raise errors.UnknownTopicOrPartitionError(f"there is no topic {name!r}", topic=name)


def together(asked: Sequence[TopicPartition]) -> list[list[int]]:
    """Groups the numbers of partitions that one request can ask about: the same partition twice needs two.

    Numbers below 0 are no times: the brokers take -1 for the end, and all others find the oldest record.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    times: Counter[tuple[int, Place]] = Counter()
    for number, each in enumerate(asked):
        way = 0 if each.offset >= 0 else END if each.offset == END else 1
        groups.setdefault((way, times[way, place(each)]), []).append(number)
        times[way, place(each)] += 1
    return list(groups.values())


def unknown() -> tuple[type[errors.KafkaError], ...]:
    """Returns the errors for a topic or partition that is not there for this client, or that cannot exist."""
    return (
        errors.TopicAuthorizationFailedError,
        errors.UnknownTopicOrPartitionError,
        errors.InvalidTopicError,
        errors.InvalidPartitionError,
        errors.InvalidArgumentError,
    )


def of_lookup(problem: errors.KafkaError) -> KafkaError:
    """Translates the error of one partition among others."""
    error = of_engine(problem)
    is_topic = problem.topic is not None and problem.partition is None
    if is_topic and error.code() in {BROKER["TOPIC_AUTHORIZATION_FAILED"], BROKER["UNKNOWN_TOPIC_OR_PART"]}:
        return error
    return local_error("_UNKNOWN_PARTITION", error.str())


@contextmanager
def unknown_partitions(what: str) -> Iterator[None]:
    """As `translated()`, but a partition that brokers do not know is `_UNKNOWN_PARTITION`, and no broker
    `_ALL_BROKERS_DOWN`.
    """
    try:
        yield
    except unknown() as problem:
        raise refusal("_UNKNOWN_PARTITION", f"{what}: {problem}") from problem
    except errors.BootstrapError as problem:
        raise KafkaException(of_engine(problem, what, "_ALL_BROKERS_DOWN")) from problem
    except errors.KafkaError as problem:
        raise KafkaException(of_engine(problem, what)) from problem
