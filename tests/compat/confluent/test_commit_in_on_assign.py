"""What `on_assign` commits is where reading begins: the library looks that up once the partitions are assigned."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients, poll_until

MESSAGES = 5
WAYS: dict[str, tuple[str, Callable[[Any, list[Any]], object]]] = {
    "the library assigns": ("range", lambda _it, _come: None),
    "assign()": ("range", lambda it, come: it.assign(come)),
    "incremental_assign()": ("cooperative-sticky", lambda it, come: it.incremental_assign(come)),
}


@pytest.mark.parametrize("before", [None, 4], ids=["a new group", "a group that is further"])
@pytest.mark.parametrize(("strategy", "assign"), WAYS.values(), ids=WAYS)
def test_reading_begins_at_what_on_assign_commits(
    clients: Clients, strategy: str, assign: Callable[[Any, list[Any]], object], before: int | None
) -> None:
    topic, group = clients.topic(messages=MESSAGES), clients.group()
    if before is not None:
        place = clients.ck.TopicPartition(topic, 0, before)
        clients.consumer({"group.id": group}).commit(offsets=[place], asynchronous=False)

    def on_assign(it: Any, come: list[Any]) -> None:
        it.commit(offsets=[clients.ck.TopicPartition(topic, 0, 1)], asynchronous=False)
        assign(it, come)

    consumer = clients.consumer({"group.id": group, "partition.assignment.strategy": strategy})
    consumer.subscribe([topic], on_assign=on_assign)
    assert [each.offset() for each in poll_until(consumer, MESSAGES - 1)] == list(range(1, MESSAGES))


def test_on_revoke_commits_after_unsubscribing_without_partitions(clients: Clients) -> None:
    topic, group = clients.topic(messages=MESSAGES), clients.group()
    place = clients.ck.TopicPartition(topic, 0, 2)
    consumer = clients.consumer({"group.id": group})
    committed: list[Any] = []

    def on_assign(it: Any, _: list[Any]) -> None:
        it.assign([])
        it.unsubscribe()

    consumer.subscribe(
        [topic],
        on_assign=on_assign,
        on_revoke=lambda it, _: committed.append(it.commit(offsets=[place], asynchronous=False)),
    )
    deadline = time.monotonic() + SECONDS
    while not committed:
        assert time.monotonic() < deadline
        assert consumer.poll(0.1) is None
    assert [each.offset for each in clients.consumer({"group.id": group}).committed([place], SECONDS)] == [2]
