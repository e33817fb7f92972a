"""A commit tells of all partitions that it was about, in order: of those, too, that had no offset to commit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.compat.confluent.conftest import Clients, poll_until, serve_until

READ = [(0, -1001, None), (1, 2, None), (2, -1001, None)]
BY_ITSELF = {"auto.commit.interval.ms": 600_000}
BY_HAND = {"enable.auto.commit": False}

Told = list[tuple[str | None, list[tuple[int, int, str | None]]]]


def heard(partitions: list[Any]) -> list[tuple[int, int, str | None]]:
    """Partitions with their offsets and errors."""
    return [(each.partition, each.offset, each.error and each.error.name()) for each in partitions]


def reading(clients: Clients, settings: dict[str, Any], *, is_member: bool) -> tuple[Any, str, Told]:
    """A consumer of three partitions that has read all of one, its topic, and what its `on_commit` hears."""
    topic = clients.topic(partitions=3)
    producer = clients.writer()
    for number in range(2):
        producer.produce(topic, f"value-{number}", partition=1)
    assert producer.flush(20) == 0
    told: Told = []

    def committed(error: Any, partitions: list[Any]) -> None:
        told.append((error and error.name(), heard(partitions)))

    consumer = clients.consumer({**settings, "on_commit": committed})
    if is_member:
        consumer.subscribe([topic])
    else:
        consumer.assign([clients.ck.TopicPartition(topic, number) for number in (2, 0, 1)])
    poll_until(consumer, 2)
    return consumer, topic, told


WAYS: dict[str, tuple[dict[str, Any], Callable[[Any], object]]] = {
    "commit()": (BY_HAND, lambda consumer: consumer.commit()),
    "by time": ({"auto.commit.interval.ms": 300}, lambda _: None),
    "unassign()": (BY_ITSELF, lambda consumer: consumer.unassign()),
    "close()": (BY_ITSELF, lambda consumer: consumer.close()),
}
MEMBERS = pytest.mark.parametrize("is_member", [False, True], ids=["by assignment", "in a group"])


@MEMBERS
@pytest.mark.parametrize(("settings", "ends"), WAYS.values(), ids=WAYS)
def test_all_that_is_assigned_is_told(
    clients: Clients, settings: dict[str, Any], ends: Callable[[Any], object], is_member: bool
) -> None:
    consumer, _, told = reading(clients, settings, is_member=is_member)
    ends(consumer)
    if not told:
        serve_until(consumer, lambda: told)
    assert told[0] == (None, READ)


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_all_that_goes_with_a_subscription_is_told(clients: Clients, strategy: str) -> None:
    settings = {**BY_ITSELF, "partition.assignment.strategy": strategy}
    consumer, _, told = reading(clients, settings, is_member=True)
    consumer.unsubscribe()
    serve_until(consumer, lambda: told)
    assert told == [(None, READ)]


@MEMBERS
def test_a_commit_that_waits_returns_all_that_is_assigned(clients: Clients, is_member: bool) -> None:
    consumer, _, told = reading(clients, BY_HAND, is_member=is_member)
    assert heard(consumer.commit(asynchronous=False)) == READ
    assert told == []


def test_nothing_to_commit_is_told_of_all_that_is_assigned(clients: Clients) -> None:
    consumer, _, told = reading(clients, {**BY_HAND, "enable.auto.offset.store": False}, is_member=False)
    consumer.commit()
    serve_until(consumer, lambda: told)
    assert told == [("_NO_OFFSET", [(number, -1001, None) for number in range(3)])]


def test_all_that_is_named_is_told(clients: Clients) -> None:
    consumer, topic, told = reading(clients, BY_HAND, is_member=False)
    at = clients.ck.TopicPartition
    named = [at(topic, 2, -1), at(topic, 1, 1, "text"), at(topic, 0)]
    expected = [(0, -1001, None), (1, 1, None), (2, -1, None)]
    consumer.commit(offsets=named)
    serve_until(consumer, lambda: told)
    assert told == [(None, expected)]
    answer = consumer.commit(offsets=named, asynchronous=False)
    assert heard(answer) == expected
    assert [each.metadata for each in answer] == [None, "text", None]
    consumer.commit(offsets=[named[0], named[2]])
    serve_until(consumer, lambda: told[1:])
    assert told[1] == ("_NO_OFFSET", [(2, -1, None), (0, -1001, None)])


@pytest.mark.parametrize("way", ["commit()", "offsets", "unassign()"])
def test_only_offsets_have_the_error_of_a_commit(clients: Clients, way: str) -> None:
    if clients.broker.kind != "embedded":
        pytest.skip("the broker is to refuse a commit")
    settings = BY_ITSELF if way == "unassign()" else BY_HAND
    consumer, topic, told = reading(clients, settings, is_member=False)
    at = clients.ck.TopicPartition
    with clients.broker.handle.intercept("OffsetCommit", "OFFSET_METADATA_TOO_LARGE"):
        if way == "commit()":
            consumer.commit()
        elif way == "offsets":
            consumer.commit(offsets=[at(topic, 2), at(topic, 0), at(topic, 1, 2)])
        else:
            consumer.unassign()
        serve_until(consumer, lambda: told)
    error = "OFFSET_METADATA_TOO_LARGE"
    assert told == [(error, [(0, -1001, None), (1, 2, error), (2, -1001, None)])]


@pytest.mark.parametrize("ends", ["close()", "unsubscribe()"])
def test_what_on_revoke_commits_in_vain_is_told(clients: Clients, ends: str) -> None:
    consumer, topic, told = reading(clients, BY_HAND, is_member=True)
    revoked: list[Any] = []

    def commit(consumer: Any, partitions: list[Any]) -> None:
        revoked.append(len(partitions))
        consumer.commit()

    consumer.subscribe([topic], on_revoke=commit)
    serve_until(consumer, lambda: len(consumer.assignment()) == len(READ))
    consumer.commit(asynchronous=False)
    del told[:], revoked[:]
    if ends == "close()":
        consumer.close()
    else:
        consumer.unsubscribe()
        serve_until(consumer, lambda: told)
    assert revoked == [3]
    [(error, partitions)] = told
    assert error == "_NO_OFFSET"
    # In the library it is chance whether they are assigned still when it looks what there is to commit.
    assert partitions in ([], [(number, -1001, None) for number in range(3)])


def test_on_commit_that_always_commits_in_vain_does_not_hold_up_a_poll(clients: Clients) -> None:
    told: list[Any] = []
    over = threading.Event()

    def again(error: Any, _: list[Any]) -> None:
        told.append(error.name())
        if not over.is_set():
            consumer.commit()

    consumer = clients.consumer({**BY_HAND, "on_commit": again})
    consumer.assign([clients.ck.TopicPartition(clients.topic(), 0)])
    consumer.commit()
    while len(told) < 3:
        message = consumer.poll(0.05)
        # The library tells of a broker that it cannot reach at once.
        assert message is None or message.error() is not None
    assert set(told) == {"_NO_OFFSET"}
    # A commit within its `close()` may end the process in the library.
    over.set()
    told.clear()
    while not told:
        consumer.poll(0.05)
