"""A member of a group that assigns what it has again reads anew from where the group stands, as the library does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, Clients, poll_until, serve_until

FACE_ALONE = (FACE, "embedded_broker")
MESSAGES = 4
Again = Callable[[Any, Any], object]

EAGER: dict[str, Again] = {
    "what it has": lambda consumer, _: consumer.assign(consumer.assignment()),
    "the partition": lambda consumer, at: consumer.assign([at()]),
    "the committed offset": lambda consumer, at: consumer.assign([at(-1000)]),
    "nothing before": lambda consumer, at: (consumer.unassign(), consumer.assign([at()])),
}
COOPERATIVE: dict[str, Again] = {
    "one by one": lambda consumer, at: (consumer.incremental_unassign([at()]), consumer.incremental_assign([at()])),
}
WAYS = [
    *(pytest.param(again, {}, id=name) for name, again in EAGER.items()),
    *(
        pytest.param(again, {"partition.assignment.strategy": "cooperative-sticky"}, id=name)
        for name, again in COOPERATIVE.items()
    ),
]


@pytest.mark.parametrize(("again", "strategy"), WAYS)
@pytest.mark.parametrize(("committed", "expected"), [(None, "value-0"), (1, "value-1")])
def test_reading_goes_back_to_what_is_committed(
    clients: Clients, again: Again, strategy: dict[str, str], committed: int | None, expected: str
) -> None:
    topic = clients.topic(messages=MESSAGES)
    consumer = clients.consumer({"enable.auto.commit": False, **strategy})

    def at(*offset: int) -> Any:
        return clients.ck.TopicPartition(topic, 0, *offset)

    consumer.subscribe([topic])
    poll_until(consumer, 2)
    if committed is not None:
        consumer.commit(offsets=[at(committed)], asynchronous=False)
    again(consumer, at)
    assert [each.value().decode() for each in poll_until(consumer, 1)] == [expected]


@pytest.mark.parametrize(("again", "strategy"), WAYS)
def test_with_automatic_commits_what_was_read_is_committed_first(
    clients: Clients, again: Again, strategy: dict[str, str]
) -> None:
    topic = clients.topic(messages=MESSAGES)
    consumer = clients.consumer({"auto.commit.interval.ms": 600_000, **strategy})
    consumer.subscribe([topic])
    poll_until(consumer, 2)
    again(consumer, lambda *offset: clients.ck.TopicPartition(topic, 0, *offset))
    assert [each.value() for each in poll_until(consumer, 2)] == [b"value-2", b"value-3"]


def test_the_poll_after_unsubscribe_tells_what_is_taken_away(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer = clients.consumer()
    told: list[int] = []
    consumer.subscribe([topic], on_revoke=lambda _, partitions: told.append(len(partitions)))
    poll_until(consumer, 1)
    consumer.unsubscribe()
    assert consumer.poll(0) is None
    assert told == [1]
    assert consumer.assignment() == []
    serve_until(consumer, lambda: True)


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True)
def test_what_is_assigned_after_unsubscribe_stays_when_the_group_takes_it(clients: Clients) -> None:
    """In the library the poll after `unsubscribe()` takes this assignment away, too."""
    topic, group = clients.topic(messages=MESSAGES), clients.group()
    consumer = clients.consumer({"group.id": group, "auto.commit.interval.ms": 600_000})
    at = clients.ck.TopicPartition(topic, 0, 2)
    consumer.subscribe([topic])
    poll_until(consumer, MESSAGES)
    consumer.unsubscribe()
    consumer.assign([at])
    assert [each.value() for each in poll_until(consumer, 1)] == [b"value-2"]
    assert consumer.assignment() == [at]
    consumer.seek(at)
    assert [each.value() for each in poll_until(consumer, 2)] == [b"value-2", b"value-3"]
    consumer.pause([at])
    consumer.seek(at)
    assert consumer.poll(0.2) is None
    consumer.resume([at])
    assert [each.value() for each in poll_until(consumer, 1)] == [b"value-2"]
    consumer.close()
    other = clients.consumer({"group.id": group})
    assert [each.offset for each in other.committed([clients.ck.TopicPartition(topic, 0)], 20)] == [3]


@pytest.mark.parametrize("stores", [False, True], ids=["read", "stored"])
def test_partitions_that_are_not_assigned_again_are_not_committed_later(clients: Clients, stores: bool) -> None:
    topic = clients.topic(partitions=2, messages=2 * MESSAGES)
    here, there = (clients.ck.TopicPartition(topic, number) for number in range(2))
    consumer = clients.consumer({"enable.auto.commit": False, "enable.auto.offset.store": not stores})
    consumer.subscribe([topic])
    messages = poll_until(consumer, 2 * MESSAGES)
    for message in messages if stores else ():
        consumer.store_offsets(message)
    consumer.assign([here])
    # From where the group stands, which is at the beginning.
    for message in poll_until(consumer, MESSAGES):
        assert message.partition() == 0
        if stores:
            consumer.store_offsets(message)
    assert consumer.position([there])[0].offset == clients.ck.OFFSET_INVALID
    committed = [(each.partition, each.offset) for each in consumer.commit(asynchronous=False)]
    assert committed == [(0, MESSAGES)]
    assert [each.offset for each in consumer.committed([here, there], timeout=20)] == [MESSAGES, -1001]
    consumer.assign([here, there])
    assert {each.partition() for each in poll_until(consumer, MESSAGES)} == {1}


def test_partitions_that_are_not_assigned_again_are_committed_first_by_automatic_commits(clients: Clients) -> None:
    topic = clients.topic(partitions=2, messages=2 * MESSAGES)
    told: list[tuple[int, int]] = []
    consumer = clients.consumer(
        {
            "auto.commit.interval.ms": 600_000,
            "on_commit": lambda _, partitions: told.extend((each.partition, each.offset) for each in partitions),
        }
    )
    consumer.subscribe([topic])
    poll_until(consumer, 2 * MESSAGES)
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    serve_until(consumer, lambda: told)
    assert sorted(told) == [(0, MESSAGES), (1, MESSAGES)]
