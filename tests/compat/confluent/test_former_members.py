"""A consumer that has left its group moves none of the group's offsets until it is a member again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.confluent.conftest import SECONDS, Clients, places, poll_until, serve_until

Named = Callable[[Any, Any], dict[str, Any]]

NAMED: dict[str, Named] = {
    "a message": lambda _, message: {"message": message},
    "offsets": lambda ck, message: {"offsets": [ck.TopicPartition(message.topic(), 0, message.offset() + 1)]},
}

KINDS = {
    "eager": {},
    "cooperative": {"partition.assignment.strategy": "cooperative-sticky"},
    "consumer": {"group.protocol": "consumer"},
}


def reading(clients: Clients, settings: dict[str, Any] | None = None) -> tuple[Any, str, str, list[Any]]:
    """A member that has read its topic, which stores and commits nothing by itself."""
    topic, group = clients.topic(messages=4), clients.group()
    kept = {"group.id": group, "enable.auto.commit": False, "enable.auto.offset.store": False}
    consumer = clients.consumer({**kept, **(settings or {})})
    consumer.subscribe([topic])
    return consumer, topic, group, poll_until(consumer, 4)


def leave(consumer: Any) -> None:
    """Ends the membership."""
    consumer.unsubscribe()
    serve_until(consumer, lambda: not consumer.assignment() and consumer.memberid() is None)


def late_joins(broker: Broker) -> AbstractContextManager[object]:
    """Nobody joins within the block, where the broker can be told so: the library does so whenever it likes."""
    if broker.kind != "embedded":
        return nullcontext()
    slow: AbstractContextManager[object] = broker.handle.intercept("JoinGroup", "delay", seconds=3.0)
    return slow


def stored(clients: Clients, group: str, topic: str) -> list[tuple[str, int, int]]:
    """What the group has committed."""
    asking = clients.consumer({"group.id": group})
    return places(asking.committed([clients.ck.TopicPartition(topic, 0)], timeout=SECONDS))


@pytest.mark.parametrize("named", NAMED.values(), ids=NAMED)
def test_who_has_left_commits_nothing(clients: Clients, named: Named) -> None:
    # The library may join anew before it has told the coordinator that it left, which then waits for its former self.
    brief = {"session.timeout.ms": 6000, "max.poll.interval.ms": 6000}
    consumer, topic, group, messages = reading(clients, brief)
    what = named(clients.ck, messages[1])
    leave(consumer)
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(**what, asynchronous=False)
    error = caught.value.args[0]
    assert (error.code(), error.retriable(), error.fatal()) == (clients.ck.KafkaError.UNKNOWN_MEMBER_ID, False, False)
    assert stored(clients, group, topic) == [(topic, 0, -1001)]
    # Joining anew is what helps, not the wish to.
    with late_joins(clients.broker):
        consumer.subscribe([topic])
        with pytest.raises(clients.ck.KafkaException):
            consumer.commit(**what, asynchronous=False)
    poll_until(consumer, 1)
    consumer.commit(**what, asynchronous=False)
    assert stored(clients, group, topic) == [(topic, 0, 2)]


def test_on_commit_hears_why_who_has_left_commits_nothing(clients: Clients) -> None:
    told: list[tuple[Any, list[Any]]] = []
    consumer, topic, group, messages = reading(clients, {"on_commit": lambda *what: told.append(what)})
    leave(consumer)
    consumer.commit(message=messages[1])
    serve_until(consumer, lambda: told)
    [(error, partitions)] = told
    assert error.code() == clients.ck.KafkaError.UNKNOWN_MEMBER_ID
    assert places(partitions) == [(topic, 0, 2)]
    assert stored(clients, group, topic) == [(topic, 0, -1001)]


def test_a_transaction_takes_no_offsets_of_who_has_left(clients: Clients) -> None:
    consumer, topic, group, _ = reading(clients)
    leave(consumer)
    producer = clients.producer({"transactional.id": clients.group()})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    at = clients.ck.TopicPartition(topic, 0, 2)
    with pytest.raises(clients.ck.KafkaException) as caught:
        producer.send_offsets_to_transaction([at], consumer.consumer_group_metadata(), SECONDS)
    error = caught.value.args[0]
    assert (error.code(), error.txn_requires_abort()) == (clients.ck.KafkaError.UNKNOWN_MEMBER_ID, True)
    producer.abort_transaction(SECONDS)
    assert stored(clients, group, topic) == [(topic, 0, -1001)]


def test_a_member_commits_until_it_has_left(clients: Clients) -> None:
    consumer, topic, group, messages = reading(clients)
    consumer.unsubscribe()
    assert places(consumer.commit(message=messages[2], asynchronous=False)) == [(topic, 0, 3)]
    assert stored(clients, group, topic) == [(topic, 0, 3)]


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize("by_itself", [False, True], ids=["commit()", "automatic"])
def test_what_was_stored_is_committed_by_who_unsubscribes_and_closes(
    clients: Clients, by_itself: bool, protocol: str
) -> None:
    topic, group = clients.topic(messages=4), clients.group()
    consumer = clients.consumer(
        {
            "group.id": group,
            "enable.auto.commit": by_itself,
            "auto.commit.interval.ms": 600_000,
            "enable.auto.offset.store": False,
            "group.protocol": protocol,
        }
    )
    told: list[Any] = []

    def revoked(it: Any, _: Any) -> None:
        told.append(None if by_itself else places(it.commit(asynchronous=False)))

    consumer.subscribe([topic], on_revoke=revoked)
    consumer.store_offsets(poll_until(consumer, 3)[-1])
    consumer.unsubscribe()
    consumer.close()
    assert told == [None if by_itself else [(topic, 0, 3)]]
    assert stored(clients, group, topic) == [(topic, 0, 3)]


@pytest.mark.parametrize("goes_on", [True, False], ids=["same topic", "another topic"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_who_subscribes_right_after_unsubscribing_still_has_what_the_next_poll_takes(
    clients: Clients, kind: dict[str, str], goes_on: bool
) -> None:
    topic, group = clients.topic(messages=4), clients.group()
    here = [clients.ck.TopicPartition(topic, 0)]
    consumer = clients.consumer({"group.id": group, "enable.auto.commit": False, **kind})
    told: list[Any] = []

    def revoked(it: Any, partitions: list[Any]) -> None:
        if not told:
            told.append((places(it.position(partitions)), [each.topic for each in it.assignment()]))
            told.append(places(it.commit(asynchronous=False)))

    consumer.subscribe([topic], on_revoke=revoked)
    poll_until(consumer, 3)
    consumer.unsubscribe()
    assert places(consumer.position(here)) == [(topic, 0, 3)]
    consumer.subscribe([topic] if goes_on else [clients.topic()], on_revoke=revoked)
    assert places(consumer.position(here)) == [(topic, 0, 3)]
    if goes_on:
        [message] = poll_until(consumer, 1)
        assert message.offset() == 3
    else:
        serve_until(consumer, lambda: told)
    assert told == [([(topic, 0, 3)], [topic]), [(topic, 0, 3)]]
    assert stored(clients, group, topic) == [(topic, 0, 3)]


def test_offsets_of_what_was_given_up_are_not_stored(clients: Clients) -> None:
    consumer, topic, _, messages = reading(clients)
    leave(consumer)
    for stores in ({"message": messages[1]}, {"offsets": [clients.ck.TopicPartition(topic, 0, 2)]}):
        with pytest.raises(clients.ck.KafkaException) as caught:
            consumer.store_offsets(**stores)
        assert caught.value.args[0].code() == clients.ck.KafkaError._STATE


def test_who_was_never_a_member_commits(clients: Clients) -> None:
    topic, group = clients.topic(messages=1), clients.group()
    consumer = clients.consumer({"group.id": group})
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 1)], asynchronous=False)
    assert stored(clients, group, topic) == [(topic, 0, 1)]
