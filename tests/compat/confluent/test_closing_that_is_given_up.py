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


def test_reports_are_given_by_the_close_after_one_that_was_interrupted(clients: Clients) -> None:
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
    assert heard == []
    producer.close()
    assert heard == [(None, value) for value in VALUES]
    with pytest.raises(RuntimeError):
        producer.produce(topic, b"late")


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
