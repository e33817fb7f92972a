"""Clusters that cannot be reached, and programs that are interrupted."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients

NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
FACE_ALONE = pytest.mark.parametrize("clients", [(FACE, "embedded_broker")], indirect=True)


def until(condition: Callable[[], object], serve: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        serve()


@pytest.mark.parametrize("kind", ["consumer", "producer"])
def test_constructing_reaches_nobody_and_poll_tells_of_it(ck: ModuleType, kind: str) -> None:
    errors: list[Any] = []
    settings = {**NOWHERE, "error_cb": errors.append}
    client = ck.Consumer({**settings, "group.id": "group"}) if kind == "consumer" else ck.Producer(settings)
    if kind == "consumer":
        client.subscribe(["topic"])
    assert errors == []
    wanted = {ck.KafkaError._TRANSPORT, ck.KafkaError._ALL_BROKERS_DOWN}
    until(lambda: wanted <= {error.code() for error in errors}, lambda: client.poll(0.1))
    assert not any(error.fatal() for error in errors)
    client.close()


def test_messages_for_nobody_time_out(ck: ModuleType) -> None:
    reports: list[Any] = []
    producer = ck.Producer({**NOWHERE, "message.timeout.ms": 500})
    producer.produce("topic", "value", "key", callback=lambda error, message: reports.append((error, message)))
    assert len(producer) >= 1
    until(lambda: reports, lambda: producer.poll(0.1))
    [(error, message)] = reports
    assert error == ck.KafkaError._MSG_TIMED_OUT
    assert (message.topic(), message.value(), message.key(), message.offset()) == ("topic", b"value", b"key", None)
    assert producer.flush(SECONDS) == 0


def test_a_message_without_bootstrap_servers_times_out(ck: ModuleType) -> None:
    reports: list[Any] = []
    producer = ck.Producer({"message.timeout.ms": 300, "log_level": 0})
    producer.produce("topic", "value", callback=lambda error, _: reports.append(error))
    until(lambda: reports, lambda: producer.poll(0.1))
    [error] = reports
    assert error == ck.KafkaError._MSG_TIMED_OUT
    if ck.__name__ == FACE:
        assert "no bootstrap server is named" in error.str()


def test_questions_to_nobody_time_out(ck: ModuleType) -> None:
    consumer = ck.Consumer({**NOWHERE, "group.id": "group"})
    here = ck.TopicPartition("topic", 0)
    for name, arguments in (
        ("get_watermark_offsets", (here, 0.3)),
        ("offsets_for_times", ([here], 0.3)),
        ("committed", ([here], 0.3)),
        ("list_topics", (None, 0.3)),
    ):
        with pytest.raises(ck.KafkaException) as caught:
            getattr(consumer, name)(*arguments)
        assert caught.value.args[0].code() in {
            ck.KafkaError._TRANSPORT,
            ck.KafkaError._ALL_BROKERS_DOWN,
            ck.KafkaError._TIMED_OUT,
        }
    consumer.close()


def interrupted(call: Callable[[], object]) -> None:
    """Makes a call that waits for ever, with Ctrl+C pressed meanwhile. It may end early for an event, and is made
    again."""
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        while True:
            call()
    timer.join()


def test_a_waiting_consumer_is_interrupted(clients: Clients) -> None:
    consumer = clients.consumer()
    consumer.assign([clients.ck.TopicPartition(clients.topic(), 0)])
    interrupted(consumer.poll)
    if clients.ck.__name__.startswith("kafkars"):
        # The library's consume() is deaf in some of its releases.
        interrupted(lambda: consumer.consume(5))


@FACE_ALONE
def test_messages_of_a_consume_that_is_interrupted_are_handed_out(clients: Clients) -> None:
    """The library drops them, and commits behind them."""
    consumer, topic = clients.consumer(), clients.topic(messages=3)
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    got: list[Any] = []
    interrupted(lambda: got.extend(consumer.consume(5)))
    assert [message.offset() for message in got] == [0, 1, 2]
    assert consumer.consume(5, 0.1) == []


def test_a_waiting_producer_is_interrupted(ck: ModuleType) -> None:
    producer = ck.Producer(NOWHERE)
    interrupted(producer.poll)
    producer.produce("topic", "value")
    interrupted(producer.flush)
    assert len(producer) >= 1
    producer.purge()


def interrupted_with_messages(clients: Clients) -> Any:
    """A consumer whose `consume()` has met Ctrl+C and returned three messages instead."""
    consumer = clients.consumer({"enable.auto.commit": False})
    consumer.assign([clients.ck.TopicPartition(clients.topic(messages=3), 0)])
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    messages = consumer.consume(5, SECONDS)
    timer.join()
    assert [message.offset() for message in messages] == [0, 1, 2]
    return consumer


@FACE_ALONE
@pytest.mark.parametrize("asynchronous", [True, False])
def test_a_commit_raises_the_interrupt_once_it_is_made(clients: Clients, asynchronous: bool) -> None:
    consumer = interrupted_with_messages(clients)
    with pytest.raises(KeyboardInterrupt):
        consumer.commit(asynchronous=asynchronous)
    [at] = consumer.assignment()
    until(lambda: consumer.committed([at], SECONDS)[0].offset == 3, lambda: consumer.poll(0.1))
    assert consumer.commit(offsets=[clients.ck.TopicPartition(at.topic, 0, 2)], asynchronous=False)


@FACE_ALONE
@pytest.mark.parametrize("ends", ["close()", "with"])
def test_closing_raises_the_interrupt_once_it_is_done(clients: Clients, ends: str) -> None:
    consumer = interrupted_with_messages(clients)
    with pytest.raises(KeyboardInterrupt):
        if ends == "close()":
            consumer.close()
        else:
            with consumer:
                pass
    with pytest.raises(RuntimeError):
        consumer.poll(0)
    consumer.close()


@FACE_ALONE
def test_closing_raises_what_a_callback_raised_within_a_consume_with_messages(clients: Clients) -> None:
    """A commit before does not: it has nothing to do with the callback."""
    at = clients.ck.TopicPartition(clients.topic(messages=3), 0)

    raised: list[Exception] = []
    fetched: list[int] = []

    def look(_: str) -> None:
        fetched.append(consumer.get_watermark_offsets(at, cached=True)[1])
        # What was there at the last call is taken since: position() tells of it only once it is returned.
        if not raised and fetched.count(3) > 1:
            raised.append(ValueError("of the callback"))
            raise raised[0]

    settings = {"enable.auto.commit": False, "statistics.interval.ms": 50, "stats_cb": look}
    consumer = clients.consumer(settings)
    consumer.assign([at])
    assert len(consumer.consume(5, SECONDS)) == 3
    assert raised
    assert consumer.commit(asynchronous=False)
    with pytest.raises(ValueError, match="of the callback"):
        consumer.close()
    consumer.close()
