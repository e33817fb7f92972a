"""What is stored to be committed, by the program or because it was handed out, and for how long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, places, poll_until, serve_until

FACE_ALONE = (FACE, "embedded_broker")
WAYS_TO_GIVE_UP: dict[str, Callable[[Any, list[Any]], object]] = {
    "assign": lambda consumer, partitions: consumer.assign(partitions),
    "unassign": lambda consumer, _: consumer.unassign(),
    "incremental_unassign": lambda consumer, partitions: consumer.incremental_unassign(partitions),
}
BY = {"stored by itself": True, "stored by the program": False}


def reading(clients: Clients, topic: str, settings: dict[str, Any], *, itself: bool) -> Any:
    """A consumer that has read, and stored, two messages."""
    consumer = clients.consumer({"enable.auto.commit": False, "enable.auto.offset.store": itself, **settings})
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    messages = poll_until(consumer, 2)
    if not itself:
        consumer.store_offsets(messages[-1])
    return consumer


def assert_nothing_to_commit(clients: Clients, consumer: Any) -> None:
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.commit(asynchronous=False)
    assert caught.value.args[0] == clients.ck.KafkaError._NO_OFFSET


@pytest.mark.parametrize("itself", BY.values(), ids=BY)
@pytest.mark.parametrize("way", WAYS_TO_GIVE_UP)
def test_what_was_stored_of_an_assignment_before_is_not_committed(clients: Clients, way: str, itself: bool) -> None:
    topic = clients.topic(messages=4)
    consumer = reading(clients, topic, {}, itself=itself)
    here = [clients.ck.TopicPartition(topic, 0)]
    WAYS_TO_GIVE_UP[way](consumer, here)
    assert_nothing_to_commit(clients, consumer)
    assert places(consumer.committed(here, timeout=20)) == [(topic, 0, clients.ck.OFFSET_INVALID)]


@pytest.mark.parametrize("itself", BY.values(), ids=BY)
def test_what_was_stored_before_a_seek_is_committed(clients: Clients, itself: bool) -> None:
    topic = clients.topic(messages=4)
    consumer = reading(clients, topic, {}, itself=itself)
    consumer.seek(clients.ck.TopicPartition(topic, 0, 0))
    consumer.seek(clients.ck.TopicPartition(topic, 0, 1))
    assert places(consumer.commit(asynchronous=False)) == [(topic, 0, 2)]
    assert_nothing_to_commit(clients, consumer)


def test_what_was_stored_before_a_seek_is_committed_at_the_end(clients: Clients) -> None:
    topic, group = clients.topic(messages=4), clients.group()
    consumer = reading(clients, topic, {"group.id": group, "enable.auto.commit": True}, itself=True)
    consumer.seek(clients.ck.TopicPartition(topic, 0, 0))
    consumer.close()
    asking = clients.consumer({"group.id": group})
    found = asking.committed([clients.ck.TopicPartition(topic, 0)], timeout=20)
    assert places(found) == [(topic, 0, 2)]


def test_what_is_read_after_a_seek_takes_the_place_of_what_was_before(clients: Clients) -> None:
    topic = clients.topic(messages=4)
    consumer = reading(clients, topic, {}, itself=True)
    consumer.seek(clients.ck.TopicPartition(topic, 0, 0))
    [message] = poll_until(consumer, 1)
    assert message.offset() == 0
    assert places(consumer.commit(asynchronous=False)) == [(topic, 0, 1)]


SEEKS = {"not so far": (5, 1, 2), "further": (2, 1, 3), "ahead": (2, 5, 1)}
"""How much is read, where it goes on, and how much is read there."""
HOW = {
    "of all": lambda consumer, _: consumer.commit(asynchronous=False),
    "of a message": lambda consumer, message: consumer.commit(message, asynchronous=False),
}


@pytest.mark.parametrize("automatic", [True, False], ids=["automatic", "by hand"])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
@pytest.mark.parametrize("course", SEEKS.values(), ids=SEEKS)
def test_what_was_read_before_a_seek_is_not_committed_after_what_is_read_since(
    clients: Clients, course: tuple[int, int, int], how: Callable[[Any, Any], object], automatic: bool
) -> None:
    first, to, then = course
    topic, group = clients.topic(messages=8), clients.group()
    settings = {"group.id": group, "enable.auto.commit": automatic, "auto.commit.interval.ms": 600_000}
    consumer = clients.consumer(settings)
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    poll_until(consumer, first)
    consumer.seek(clients.ck.TopicPartition(topic, 0, to))
    *_, last = poll_until(consumer, then)
    how(consumer, last)
    assert_nothing_to_commit(clients, consumer)
    consumer.close()
    asking = clients.consumer({"group.id": group})
    found = asking.committed([clients.ck.TopicPartition(topic, 0)], timeout=20)
    assert places(found) == [(topic, 0, to + then)]


def test_what_is_read_up_to_an_offset_that_is_committed_is_not_committed(clients: Clients) -> None:
    topic = clients.topic(messages=4)
    consumer = reading(clients, topic, {}, itself=True)
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 4)], asynchronous=False)
    poll_until(consumer, 1)
    assert_nothing_to_commit(clients, consumer)


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
def test_the_face_leaves_what_was_committed_after_a_seek(clients: Clients) -> None:
    """The library commits what was read before the seek, and the records that the program went back to are lost."""
    topic, group = clients.topic(messages=4), clients.group()
    consumer = reading(clients, topic, {"group.id": group, "enable.auto.commit": True}, itself=True)
    consumer.seek(clients.ck.TopicPartition(topic, 0, 1))
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 1)], asynchronous=False)
    consumer.close()
    asking = clients.consumer({"group.id": group})
    assert places(asking.committed([clients.ck.TopicPartition(topic, 0)], timeout=20)) == [(topic, 0, 1)]


ORDERS = {"commit, seek": False, "seek, commit": True}


@pytest.mark.parametrize("seeks_first", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("waits", [True, False], ids=["waits", "does not wait"])
@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True, ids=["face"])
def test_what_is_read_again_is_committed_in_whatever_order_it_was_sought(
    clients: Clients, waits: bool, seeks_first: bool
) -> None:
    """The library has nothing to commit until it is further than before."""
    topic = clients.topic(messages=4)
    ended: list[Any] = []
    consumer = clients.consumer({"on_commit": lambda error, _: ended.append(error)})
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    poll_until(consumer, 4)
    calls: list[Callable[[], object]] = [
        lambda: consumer.commit(asynchronous=not waits),
        lambda: consumer.seek(clients.ck.TopicPartition(topic, 0, 0)),
    ]
    for call in reversed(calls) if seeks_first else calls:
        call()
    poll_until(consumer, 2)
    if not waits:
        consumer.pause(consumer.assignment())
        serve_until(consumer, lambda: bool(ended))
    assert places(consumer.commit(asynchronous=False)) == [(topic, 0, 2)]


@pytest.mark.parametrize("itself", BY.values(), ids=BY)
def test_an_offset_committed_by_hand_is_not_taken_back_by_what_was_read_before(clients: Clients, itself: bool) -> None:
    topic = clients.topic(messages=4)
    consumer = reading(clients, topic, {}, itself=itself)
    consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, 4)], asynchronous=False)
    assert_nothing_to_commit(clients, consumer)
    [found] = consumer.committed([clients.ck.TopicPartition(topic, 0)], timeout=20)
    assert found.offset == 4


def test_the_latest_commit_by_hand_counts(clients: Clients) -> None:
    topic = clients.topic(messages=4)
    consumer = reading(clients, topic, {}, itself=True)
    for offset in (4, 1):
        consumer.commit(offsets=[clients.ck.TopicPartition(topic, 0, offset)], asynchronous=False)
    # What it has read lies above that again.
    assert places(consumer.commit(asynchronous=False)) == [(topic, 0, 2)]


@pytest.mark.parametrize("ends", ["commit_transaction", "abort_transaction"])
def test_markers_of_transactions_count_as_read(clients: Clients, ends: str) -> None:
    topic = clients.topic()
    writer = clients.producer({"transactional.id": clients.group()})
    writer.init_transactions(SECONDS)
    writer.begin_transaction()
    writer.produce(topic, b"value")
    writer.flush(SECONDS)
    getattr(writer, ends)(SECONDS)
    consumer = clients.consumer({"enable.auto.commit": False})
    # The record is at 0, and the marker at 1.
    consumer.assign([clients.ck.TopicPartition(topic, 0, 1)])
    here = [clients.ck.TopicPartition(topic, 0)]
    serve_until(consumer, lambda: places(consumer.position(here)) == [(topic, 0, 2)])
    assert places(consumer.commit(asynchronous=False)) == [(topic, 0, 2)]


def test_an_error_has_no_offset_to_store(clients: Clients) -> None:
    consumer = clients.consumer({"enable.partition.eof": True, "enable.auto.offset.store": False})
    consumer.assign([clients.ck.TopicPartition(clients.topic(), 0)])
    [end] = poll_until(consumer, 1)
    for call, what in ((consumer.store_offsets, "store"), (consumer.commit, "commit")):
        with pytest.raises(clients.ck.KafkaException) as caught:
            call(end)
        error = caught.value.args[0]
        assert error == clients.ck.KafkaError._INVALID_ARG
        assert error.str().startswith(f"Cannot {what} offsets for message with error: ")


def test_what_was_committed_before_an_assignment_says_nothing_of_it(clients: Clients) -> None:
    topic, group = clients.topic(messages=10), clients.group()
    at = clients.ck.TopicPartition
    consumer = clients.consumer({"group.id": group, "enable.auto.commit": False})
    consumer.commit(offsets=[at(topic, 0, 8)], asynchronous=False)
    consumer.assign([at(topic, 0, 3)])
    poll_until(consumer, 3)
    (made,) = consumer.commit(asynchronous=False)
    assert made.offset == 6
    assert consumer.committed([at(topic, 0)], timeout=20)[0].offset == 6
