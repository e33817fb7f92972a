"""Producers whose close() is interrupted or cancelled: what is queued is sent all the same."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

from tests.compat.confluent.conftest import FACE, SECONDS, Clients, read_all

VALUES = [b"0", b"1", b"2"]


@contextmanager
def no_leader(clients: Clients, seconds: float) -> Iterator[None]:
    """Nothing is stored for a while."""
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    fault = clients.broker.handle.intercept("Produce", "NOT_LEADER_OR_FOLLOWER")
    timer = threading.Timer(seconds, fault.remove)
    timer.start()
    yield
    timer.join()


@pytest.mark.parametrize("ends", ["close", "with"])
def test_a_close_that_is_interrupted_loses_nothing(clients: Clients, ends: str) -> None:
    topic = clients.topic()
    producer = clients.producer()
    with no_leader(clients, 1.0):
        for value in VALUES:
            producer.produce(topic, value)
        pressed = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        pressed.start()
        if ends == "close":
            with pytest.raises(KeyboardInterrupt):
                producer.close()
        else:
            # The library's block fails by itself then.
            with pytest.raises((KeyboardInterrupt, SystemError)), producer:
                pass
        pressed.join()
    producer.close()
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES


def test_the_close_that_is_interrupted_gives_the_reports(clients: Clients, caplog: pytest.LogCaptureFixture) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("the library raises SystemError")
    topic, heard = clients.topic(), []
    producer = clients.producer()
    with no_leader(clients, 1.0):
        for value in VALUES:
            producer.produce(topic, value, on_delivery=lambda error, message: heard.append((error, message.value())))
        pressed = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        pressed.start()
        with pytest.raises(KeyboardInterrupt):
            producer.close()
        pressed.join()
    assert heard == [(None, value) for value in VALUES]
    assert [each.getMessage().partition(";")[0] for each in caplog.records if each.name == "kafkars.compat"] == [
        "interrupted"
    ]
    with pytest.raises(RuntimeError):
        producer.produce(topic, b"late")


def test_an_interrupt_does_not_keep_the_transaction_open(clients: Clients) -> None:
    if not hasattr(clients.broker.handle, "intercept"):
        pytest.skip("needs the embedded broker's faults")
    topic = clients.topic()
    producer = clients.producer({"transactional.id": topic})
    producer.init_transactions(SECONDS)
    producer.begin_transaction()
    producer.produce(topic, VALUES[0])
    producer.flush(SECONDS)
    fault = clients.broker.handle.intercept("EndTxn", "CONCURRENT_TRANSACTIONS")
    ended = threading.Timer(1.0, fault.remove)
    pressed = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    for each in (ended, pressed):
        each.start()
    # The library raises SystemError from time to time.
    with pytest.raises((KeyboardInterrupt, SystemError)):
        producer.close()
    for each in (ended, pressed):
        each.join()
    [record] = clients.broker.handle.records(topic)
    assert record.state == "aborted"


def test_a_second_interrupt_ends_the_wait_and_the_next_close_goes_on(clients: Clients) -> None:
    if clients.ck.__name__ != FACE:
        pytest.skip("the library waits until all is sent")
    topic, heard = clients.topic(), []
    producer = clients.producer()
    with no_leader(clients, 1.5):
        for value in VALUES:
            producer.produce(topic, value, on_delivery=lambda error, message: heard.append((error, message.value())))
        pressed = [threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)) for after in (0.3, 0.7)]
        for each in pressed:
            each.start()
        with pytest.raises(KeyboardInterrupt):
            producer.close()
        assert heard == []
    producer.close()
    assert heard == [(None, value) for value in VALUES]


class StopError(Exception):
    """What a handler of SIGTERM raises."""


def test_so_it_is_with_other_signals(clients: Clients) -> None:
    topic = clients.topic()
    producer = clients.producer()

    def stop(*_: object) -> None:
        raise StopError

    before = signal.signal(signal.SIGTERM, stop)
    try:
        with no_leader(clients, 1.0):
            for value in VALUES:
                producer.produce(topic, value)
            ended = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
            ended.start()
            with pytest.raises(StopError):
                producer.close()
            ended.join()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES


async def queued(clients: Clients, topic: str) -> tuple[Any, list[Any]]:
    aio = import_module(f"{clients.ck.__name__}.aio")
    producer = aio.AIOProducer({"bootstrap.servers": clients.broker.bootstrap_servers, "log_level": 0})
    return producer, [await producer.produce(topic, value) for value in VALUES]


def test_cancelling_close_of_asyncio_gives_up_the_wait_only(clients: Clients) -> None:
    topic = clients.topic()

    async def work() -> None:
        producer, futures = await queued(clients, topic)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(producer.close(), 0.2)
        if clients.ck.__name__ == FACE:
            with pytest.raises(RuntimeError):
                await producer.produce(topic, b"late")
            await producer.close()
        done = await asyncio.wait_for(asyncio.gather(*futures), SECONDS)
        assert [each.value() for each in done] == VALUES

    with no_leader(clients, 1.0):
        asyncio.run(work())
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES


def test_the_end_of_the_loop_waits_for_a_close_that_was_cancelled(clients: Clients) -> None:
    topic = clients.topic()

    async def work() -> None:
        producer, _ = await queued(clients, topic)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(producer.close(), 0.2)

    with no_leader(clients, 1.0):
        asyncio.run(work())
    assert [each.value() for each in read_all(clients, topic, len(VALUES))] == VALUES
