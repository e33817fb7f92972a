"""Subscriptions: callbacks, what they may do, and in which order they come."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from tests.compat.confluent.conftest import SECONDS, Clients, places, poll_until, serve_until


class Journal:
    """What callbacks were called with, in order."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, list[tuple[str, int, int]], list[int]]] = []

    def listener(self, name: str) -> Any:
        def note(consumer: Any, partitions: list[Any]) -> None:
            owned = sorted(each.partition for each in consumer.assignment())
            self.entries.append((name, sorted(places(partitions)), owned))

        return note

    def callbacks(self) -> dict[str, Any]:
        return {f"on_{name}": self.listener(name) for name in ("assign", "revoke", "lost")}


def test_callbacks_come_in_poll_and_close(clients: Clients) -> None:
    topic = clients.topic(2, messages=2)
    consumer, journal = clients.consumer(), Journal()
    consumer.subscribe([topic], **journal.callbacks())
    assert journal.entries == []
    assert len(poll_until(consumer, 2)) == 2
    both = [(topic, 0, -1001), (topic, 1, -1001)]
    assert journal.entries == [("assign", both, [])]
    assert places(consumer.assignment()) == [(topic, 0, -1000), (topic, 1, -1000)]
    consumer.close()
    assert journal.entries[1:] == [("revoke", both, [0, 1])]


def test_unsubscribing_revokes_in_a_later_poll(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    consumer, journal = clients.consumer(), Journal()
    consumer.subscribe([topic], **journal.callbacks())
    poll_until(consumer, 1)
    assert consumer.memberid()
    consumer.unsubscribe()
    assert [name for name, _, _ in journal.entries] == ["assign"]
    serve_until(consumer, lambda: len(journal.entries) == 2)
    assert [name for name, _, _ in journal.entries] == ["assign", "revoke"]
    assert consumer.assignment() == []
    consumer.assign([clients.ck.TopicPartition(topic, 0, 0)])
    assert [each.value() for each in poll_until(consumer, 1)] == [b"value-0"]


def test_an_unsubscribed_consumer_hands_out_nothing_more(clients: Clients) -> None:
    topic = clients.topic(messages=50)
    consumer = clients.consumer({"enable.partition.eof": True})
    revoked: list[int] = []

    def on_revoke(reader: Any, partitions: list[Any]) -> None:
        revoked.extend(each.partition for each in partitions)
        # It goes nevertheless.
        reader.seek(clients.ck.TopicPartition(topic, 0, 0))

    consumer.subscribe([topic], on_revoke=on_revoke)
    assert [each.offset() for each in poll_until(consumer, 1)] == [0]
    # Here are the other messages by now, too.
    consumer.unsubscribe()
    deadline = time.monotonic() + SECONDS
    while not revoked:
        assert time.monotonic() < deadline
        assert consumer.poll(0.2) is None
    assert revoked == [0]
    assert consumer.poll(0.2) is None
    # What is read later begins anew.
    consumer.subscribe([topic])
    assert [each.offset() for each in poll_until(consumer, 3)] in ([0, 1, 2], [1, 2, 3])


def test_a_callback_chooses_where_to_read(clients: Clients) -> None:
    topic = clients.topic(3, messages=9)

    def on_assign(consumer: Any, partitions: list[Any]) -> None:
        for each in partitions:
            each.offset = {0: clients.ck.OFFSET_END, 1: 1, 2: clients.ck.OFFSET_BEGINNING}[each.partition]
        consumer.assign(partitions)

    consumer = clients.consumer()
    consumer.subscribe([topic], on_assign=on_assign)
    read = sorted((each.partition(), each.offset()) for each in poll_until(consumer, 5))
    assert read == [(1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    assert places(consumer.assignment()) == [(topic, 0, -1), (topic, 1, 1), (topic, 2, -2)]
    assert consumer.poll(0.3) is None


def test_a_callback_takes_some_of_the_partitions(clients: Clients) -> None:
    topic = clients.topic(2, messages=4)

    def on_assign(consumer: Any, partitions: list[Any]) -> None:
        consumer.assign([each for each in partitions if each.partition == 1])

    consumer = clients.consumer()
    consumer.subscribe([topic], on_assign=on_assign)
    assert [each.partition() for each in poll_until(consumer, 2)] == [1, 1]
    assert places(consumer.assignment()) == [(topic, 1, -1000)]
    assert consumer.poll(0.3) is None


def test_cooperative_partitions_are_assigned_one_by_one(clients: Clients) -> None:
    topic = clients.topic(2, messages=4)
    problems: list[Any] = []

    def on_assign(consumer: Any, partitions: list[Any]) -> None:
        try:
            consumer.assign(partitions)
        except clients.ck.KafkaException as problem:
            problems.append(problem.args[0].code())
        consumer.incremental_assign(partitions)

    consumer = clients.consumer({"partition.assignment.strategy": "cooperative-sticky"})
    consumer.subscribe(
        [topic], on_assign=on_assign, on_revoke=lambda consumer, gone: consumer.incremental_unassign(gone)
    )
    assert len(poll_until(consumer, 4)) == 4
    assert problems == [clients.ck.KafkaError._STATE]
    consumer.close()


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_a_second_member_gets_its_share(clients: Clients, strategy: str) -> None:
    topic = clients.topic(2, messages=2)
    settings = {"group.id": clients.group(), "partition.assignment.strategy": strategy}
    first, second, journal = clients.consumer(settings), clients.consumer(settings), Journal()
    first.subscribe([topic], **journal.callbacks())
    poll_until(first, 2)
    second.subscribe([topic])
    serve_until(first, lambda: second.poll(0.1) is None and len(second.assignment()) == len(first.assignment()) == 1)
    assert [name for name, _, _ in journal.entries][:2] == ["assign", "revoke"]
    assert {each.partition for each in first.assignment() + second.assignment()} == {0, 1}
    second.close()
    serve_until(first, lambda: len(first.assignment()) == 2)


def test_subscribing_to_the_same_topics_again_begins_anew(clients: Clients) -> None:
    topic = clients.topic(2, messages=2)
    consumer, journal = clients.consumer({"enable.auto.commit": False}), Journal()
    consumer.subscribe([topic])
    assert len(poll_until(consumer, 2)) == 2
    consumer.subscribe([topic], **journal.callbacks())
    # Nothing was committed.
    assert len(poll_until(consumer, 2)) == 2
    assert [name for name, _, _ in journal.entries] == ["revoke", "assign"]


def test_patterns_and_names_are_subscribed_together(clients: Clients) -> None:
    first, second = clients.topic(messages=1), clients.topic(messages=1)
    other = clients.topic(messages=1)
    consumer = clients.consumer()
    consumer.subscribe([f"^{first}$", second])
    assert {each.topic() for each in poll_until(consumer, 2)} == {first, second}
    assert other not in {each.topic for each in consumer.assignment()}


def test_the_exception_of_a_callback_reaches_the_caller(clients: Clients) -> None:
    topic = clients.topic(messages=2)

    def on_assign(_consumer: Any, _partitions: list[Any]) -> None:
        raise LookupError("not today")

    consumer = clients.consumer()
    consumer.subscribe([topic], on_assign=on_assign)
    with pytest.raises(LookupError, match="not today"):
        poll_until(consumer, 2)
    # The library reads on too; it has lost the message that was on its way.
    assert poll_until(consumer, 1)[-1].value() in {b"value-0", b"value-1"}


def test_a_subscription_is_a_list_of_names(clients: Clients) -> None:
    consumer = clients.consumer()
    for topics in (("topic",), "topic", None, 5):
        with pytest.raises(TypeError):
            consumer.subscribe(topics)
    with pytest.raises(TypeError):
        consumer.subscribe(["topic"], on_assign=5)
    with pytest.raises(clients.ck.KafkaException) as caught:
        consumer.subscribe([])
    assert caught.value.args[0] == clients.ck.KafkaError._INVALID_ARG


@pytest.mark.kip_848
def test_the_groups_of_kafka_4(clients: Clients) -> None:
    topic = clients.topic(2, messages=4)
    consumer, journal = clients.consumer({"group.protocol": "consumer"}), Journal()
    consumer.subscribe([topic], on_assign=journal.listener("assign"), on_revoke=journal.listener("revoke"))
    assert len(poll_until(consumer, 4)) == 4
    consumer.close()
    names = [name for name, partitions, _ in journal.entries if partitions]
    assert names == ["assign", "revoke"]


def test_what_is_revoked_while_messages_are_gathered_is_read_by_one_member(clients: Clients) -> None:
    """`consume()` never returns messages of partitions whose `on_revoke` has run: another member reads them."""
    topic = clients.topic(2, messages=400)
    settings = {"group.id": clients.group(), "enable.auto.commit": False, "heartbeat.interval.ms": 100}
    first, second = clients.consumer(settings), clients.consumer(settings)
    done: dict[int, int] = {}
    returned: list[tuple[int, int]] = []
    taken: list[tuple[int, int]] = []

    def on_revoke(consumer: Any, partitions: list[Any]) -> None:
        finished = [(each.partition, done[each.partition]) for each in partitions if each.partition in done]
        if finished:
            offsets = [clients.ck.TopicPartition(topic, partition, offset) for partition, offset in finished]
            consumer.commit(offsets=offsets, asynchronous=False)

    def gather(seconds: float, most: int = 100_000) -> None:
        for message in first.consume(most, seconds):
            returned.append((message.partition(), message.offset()))
            done[message.partition()] = message.offset() + 1

    first.subscribe([topic], on_revoke=on_revoke)
    gather(SECONDS, 1)
    enough, owned = threading.Event(), 0

    def other() -> None:
        nonlocal owned
        second.subscribe([topic])
        while not enough.is_set():
            message = second.poll(0.05)
            owned = len(second.assignment())
            if message is not None:
                taken.append((message.partition(), message.offset()))

    thread = threading.Thread(target=other)
    thread.start()
    try:
        deadline = time.monotonic() + SECONDS
        while (not owned or len(returned) + len(taken) < 400) and time.monotonic() < deadline:
            gather(2.0)
    finally:
        enough.set()
        thread.join()
    assert owned == 1
    assert sorted(returned + taken) == [(partition, offset) for partition in range(2) for offset in range(200)]


def test_a_short_session_has_a_heartbeat_that_fits(clients: Clients) -> None:
    topic = clients.topic(messages=1)
    for settings in ({"session.timeout.ms": 3000}, {"session.timeout.ms": 100}, {"session.timeout.ms": 1}):
        clients.consumer(settings)
    consumer = clients.consumer({"session.timeout.ms": 6000, "heartbeat.interval.ms": 7000})
    consumer.subscribe([topic])
    assert poll_until(consumer, 1)[0].value() == b"value-0"


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_polls_in_callbacks_find_nothing(clients: Clients, strategy: str) -> None:
    topic = clients.topic(messages=1)
    told: list[Any] = []

    def called(consumer: Any, _: Any) -> None:
        began = time.thread_time()
        told.append((consumer.poll(0), consumer.poll(0.4), consumer.consume(1, 0)))
        # It does not turn in circles until its time is over.
        assert time.thread_time() - began < 0.2

    consumer = clients.consumer({"partition.assignment.strategy": strategy})
    consumer.subscribe([topic], on_assign=called, on_revoke=called)
    assert [each.value() for each in poll_until(consumer, 1)] == [b"value-0"]
    consumer.unsubscribe()
    serve_until(consumer, lambda: len(told) > 1)
    assert told == [(None, None, [])] * 2
