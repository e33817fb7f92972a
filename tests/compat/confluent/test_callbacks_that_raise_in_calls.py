"""Callbacks of the program that raise while a call of the producer is under way: the call is made to its end, and what
they have raised says nothing of the producer, whatever its class.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, read_all
from tests.compat.confluent.test_transactions_of_threads import CONFLICT, end

FACE_ALONE = (FACE, "embedded_broker")


class OddError(Exception):
    """What callbacks raise here."""


def retriable(ck: Any) -> Exception:
    return ck.KafkaException(ck.KafkaError(ck.KafkaError._TIMED_OUT, "of a database", False, True, False))


def fatal(ck: Any) -> Exception:
    return ck.KafkaException(ck.KafkaError(ck.KafkaError._FATAL, "of another producer", True, False, False))


RAISED: dict[str, Callable[[Any], Exception]] = {
    "an exception of its own": lambda _: OddError("mine"),
    "a text": lambda ck: ck.KafkaException("text"),
    "nothing": lambda ck: ck.KafkaException(),
    "a code and a text": lambda ck: ck.KafkaException(ck.KafkaError._FAIL, "text"),
    "a retriable error": retriable,
    "a fatal error": fatal,
}


class Callback:
    """Raises the first time that it is called."""

    def __init__(self, raised: Exception) -> None:
        self.raised = raised
        self.calls = 0

    def __call__(self, *_: Any) -> None:
        self.calls += 1
        if self.calls == 1:
            raise self.raised


def begun(clients: Clients, **settings: Any) -> Any:
    """A producer with an open transaction."""
    more = {name.replace("_", "."): value for name, value in settings.items() if name != "stats_cb"}
    callbacks = {name: value for name, value in settings.items() if name == "stats_cb"}
    producer = clients.producer({"transactional.id": clients.group(), **more, **callbacks})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    return producer


def late(clients: Clients) -> Any:
    """Makes the answer to a message late."""
    return clients.broker.handle.intercept("Produce", "delay", seconds=1.0, times=1)


def begin(clients: Clients, producer: Any) -> None:
    """Begins the next transaction; the library may be about to end the one before."""
    while (told := end(clients, producer.begin_transaction)) is not None:
        assert told == CONFLICT


@pytest.mark.parametrize(
    ("ending", "stored"), [("commit_transaction", [b"value"]), ("abort_transaction", [])], ids=["commit", "abort"]
)
@pytest.mark.parametrize("raised", RAISED)
def test_a_report_that_raises_does_not_keep_a_transaction_from_its_end(
    clients: Clients, raised: str, ending: str, stored: list[bytes]
) -> None:
    topic, producer = clients.topic(), begun(clients)
    report = Callback(RAISED[raised](clients.ck))
    producer.produce(topic, b"value", on_delivery=report)
    with pytest.raises(type(report.raised)) as caught:
        getattr(producer, ending)(SECONDS)
    assert caught.value is report.raised
    begin(clients, producer)
    producer.produce(topic, b"next")
    producer.commit_transaction(SECONDS)
    expected = [*stored, b"next"]
    assert [message.value() for message in read_all(clients, topic, len(expected))] == expected


def test_reports_of_an_aborted_transaction_do_not_raise_in_the_next_one(clients: Clients) -> None:
    """The library's abort goes on raising, one report each time, until all are given."""
    topic, producer, given = clients.topic(), begun(clients, linger_ms=500), []

    def report(_: Any, message: Any) -> None:
        given.append(message.value())
        raise OddError(message.value())

    for number in range(3):
        producer.produce(topic, b"%d" % number, on_delivery=report)
    with pytest.raises(OddError):
        producer.abort_transaction(SECONDS)
    while (told := end(clients, producer.begin_transaction)) is not None:
        assert told == CONFLICT
        with suppress(OddError):
            producer.abort_transaction(SECONDS)
    assert sorted(given) == [b"0", b"1", b"2"]
    producer.produce(topic, b"next")
    producer.commit_transaction(SECONDS)
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"next"]


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True)
def test_statistics_that_raise_do_not_keep_a_transaction_from_its_commit(clients: Clients) -> None:
    """The library wants it to be called again."""
    told = Callback(OddError("statistics"))
    topic, producer = clients.topic(), begun(clients, statistics_interval_ms=50, stats_cb=told)
    producer.produce(topic, b"value")
    # The commit waits for it, so that the time of the statistics comes.
    with late(clients), pytest.raises(OddError):
        producer.commit_transaction(SECONDS)
    begin(clients, producer)
    producer.commit_transaction(SECONDS)
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"value"]


@pytest.mark.parametrize("raised", RAISED)
def test_closing_raises_what_a_report_has_raised(clients: Clients, raised: str) -> None:
    producer = clients.producer({"bootstrap.servers": "127.0.0.1:9", "message.timeout.ms": 100})
    report = Callback(RAISED[raised](clients.ck))
    producer.produce("topic", b"value", on_delivery=report)
    with pytest.raises(type(report.raised)) as caught:
        producer.close()
    assert caught.value is report.raised
    with pytest.raises(RuntimeError):
        producer.poll(0)
    assert producer.close() is True


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True)
@pytest.mark.parametrize("is_transactional", [False, True])
def test_closing_gives_all_reports_though_they_raise(clients: Clients, is_transactional: bool) -> None:
    """The library gives up the others after the first."""
    topic, given = clients.topic(), []

    def report(_: Any, message: Any) -> None:
        given.append(message.value())
        raise OddError(message.value())

    producer = begun(clients, linger_ms=500) if is_transactional else clients.producer({"linger.ms": 500})
    for number in range(3):
        producer.produce(topic, b"%d" % number, on_delivery=report)
    with pytest.raises(OddError) as caught, producer:
        pass
    assert sorted(given) == [b"0", b"1", b"2"]
    assert caught.value.args == (given[-1],)


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True)
def test_a_report_that_raises_in_a_commit_that_is_cut_short_leaves_it_to_be_made_again(clients: Clients) -> None:
    topic, producer = clients.topic(), begun(clients)
    producer.list_topics(topic, SECONDS)
    report = Callback(OddError("mine"))
    producer.produce(topic, b"value", on_delivery=report)
    with clients.broker.handle.intercept("EndTxn", "delay", seconds=1.0, times=1):
        with pytest.raises(OddError) as caught:
            producer.commit_transaction(0.5)
        # Nobody has to guess what the producer itself says.
        assert caught.value.__context__.args[0].name() == "_TIMED_OUT"
        with pytest.raises(clients.ck.KafkaException) as refused:
            producer.begin_transaction()
        assert refused.value.args[0].retriable()
        producer.commit_transaction(SECONDS)
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"value"]


@pytest.mark.parametrize("clients", [FACE_ALONE], indirect=True)
def test_a_callback_within_a_commit_cannot_close_the_producer(clients: Clients) -> None:
    """The library never returns from there."""
    ends: list[str] = []

    def told(_: str) -> None:
        if not ends:
            try:
                producer.close()
            except clients.ck.KafkaException as problem:
                ends.append(problem.args[0].name())

    topic, producer = clients.topic(), begun(clients, statistics_interval_ms=50, stats_cb=told)
    producer.produce(topic, b"value")
    with late(clients):
        producer.commit_transaction(SECONDS)
    assert ends == ["_STATE"]
    assert [message.value() for message in read_all(clients, topic, 1)] == [b"value"]
