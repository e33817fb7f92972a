"""A partition without a valid position: once the program knows of it, nothing of it is read until it says where."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.compat.confluent.conftest import Clients, poll_until

Change = Callable[[Clients, Any, str, str], None]


def commit_itself(clients: Clients, consumer: Any, topic: str, _: str) -> None:
    """The consumer itself commits an offset."""
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 2)], asynchronous=False)


def commit_elsewhere(clients: Clients, _: Any, topic: str, group: str) -> None:
    """Another client commits an offset."""
    commit_itself(clients, clients.consumer({"group.id": group}), topic, group)


def write(clients: Clients, _: Any, topic: str, __: str) -> None:
    """The log grows beyond the offset that was not in it."""
    writer = clients.writer()
    for _ in range(8):
        writer.produce(topic, b"later", partition=0)
    writer.flush(20)


CHANGES: dict[str, tuple[int | None, Change]] = {
    "own commit": (None, commit_itself),
    "another's commit": (None, commit_elsewhere),
    "growth": (6, write),
}


@pytest.mark.parametrize(("start", "change"), CHANGES.values(), ids=CHANGES)
def test_a_partition_that_has_no_position_is_not_read_until_the_program_says_where(
    clients: Clients, start: int | None, change: Change
) -> None:
    topic, group = clients.topic(messages=4), clients.group()
    consumer = clients.consumer({"group.id": group, "enable.auto.commit": False, "auto.offset.reset": "error"})
    at = clients.ck.TopicPartition
    consumer.assign([at(topic, 0) if start is None else at(topic, 0, start)])
    [problem] = poll_until(consumer, 1)
    assert problem.error() == clients.ck.KafkaError._AUTO_OFFSET_RESET
    change(clients, consumer, topic, group)
    for _ in range(3):
        assert consumer.poll(0.5) is None
        consumer.pause([at(topic, 0)])
        consumer.resume([at(topic, 0)])
    consumer.assign([at(topic, 0, 1)])
    [message] = poll_until(consumer, 1)
    assert message.offset() == 1


def test_each_assignment_tells_of_it(clients: Clients) -> None:
    topic = clients.topic(messages=4)
    settings = {"partition.assignment.strategy": "cooperative-sticky", "auto.offset.reset": "error"}
    consumer = clients.consumer({"enable.auto.commit": False, **settings})
    at = clients.ck.TopicPartition(topic, 0)
    for _ in range(3):
        consumer.incremental_assign([at])
        [problem] = poll_until(consumer, 1)
        assert problem.error() == clients.ck.KafkaError._AUTO_OFFSET_RESET
        consumer.incremental_unassign([at])


def test_other_partitions_are_read_on(clients: Clients) -> None:
    topic = clients.topic(partitions=2, messages=4)
    consumer = clients.consumer({"enable.auto.commit": False, "auto.offset.reset": "error"})
    at = clients.ck.TopicPartition
    consumer.assign([at(topic, 0), at(topic, 1, 0)])
    found = poll_until(consumer, 3)
    assert sorted((each.partition(), each.error() is None) for each in found) == [(0, False), (1, True), (1, True)]
