"""Deliveries that failed and that nobody has asked about are in the log."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import Any

import pytest
from kafkars import Producer, aio
from kafkars.errors import MessageTooLargeError, TopicAuthorizationFailedError
from kafkars.testing import EmbeddedBroker

from tests.support.clients import Clients
from tests.support.waiting import SECONDS, eventually

TOO_LARGE = b"x" * 2_000_000


def lines(caplog: pytest.LogCaptureFixture, topic: str = "") -> list[str]:
    """Of one topic: the end of an earlier test's producer tells the rest of what it has counted."""
    told = [record.getMessage() for record in caplog.records]
    return [line for line in told if "nobody has asked" in line and f"topic={topic}" in line]


def producer_of(clients: Clients) -> Any:
    return clients.producer(max_request_size=10_000_000, buffer_memory=100_000_000)


def test_a_failure_that_nobody_asks_about_is_logged(
    clients: Clients, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    producer = producer_of(clients)
    producer.send(topic, TOO_LARGE)
    assert producer.flush(SECONDS) == 0
    gc.collect()
    eventually(lambda: lines(caplog, topic), "a line in the log")
    (line,) = lines(caplog, topic)
    assert topic in line
    assert "MESSAGE_TOO_LARGE" in line
    assert "records=1" in line


def test_whoever_asks_for_all_of_a_call_has_asked_for_each(caplog: pytest.LogCaptureFixture) -> None:
    """`result()` raises why the first was not stored; the others were said to be unheard."""
    caplog.set_level(logging.WARNING, "kafkars")
    with (
        EmbeddedBroker(topics={"t": 3}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers, max_request_size=10_000_000) as producer,
    ):
        sent = producer.send_many("t", [TOO_LARGE] * 3, partitions=[0, 1, 2])
        with pytest.raises(MessageTooLargeError):
            sent.result(SECONDS)
        del sent
        gc.collect()
    assert lines(caplog, "t") == []


def test_asyncio_too(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafkars")

    async def main(servers: str) -> None:
        async with aio.Producer(bootstrap_servers=servers, max_request_size=10_000_000) as producer:
            with pytest.raises(MessageTooLargeError):
                await producer.send_many("t", [TOO_LARGE] * 3, partitions=[0, 1, 2])
            sent = await producer.enqueue_many("t", [TOO_LARGE] * 3, partitions=[0, 1, 2])
            with pytest.raises(MessageTooLargeError):
                await sent

    with EmbeddedBroker(topics={"t": 3}) as broker:
        asyncio.run(main(broker.bootstrap_servers))
        gc.collect()
    assert lines(caplog, "t") == []


def test_what_was_refused_is_no_loss_of_the_brokers(caplog: pytest.LogCaptureFixture) -> None:
    """The number of a refused batch is missing at the broker: an operator was told that the broker had lost some."""
    caplog.set_level(logging.INFO, "kafkars")
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers, max_request_size=10_000_000) as producer,
    ):
        producer.send("t", b"first").result(SECONDS)
        with pytest.raises(MessageTooLargeError):
            producer.send("t", TOO_LARGE).result(SECONDS)
        assert producer.send("t", b"second").result(SECONDS).offset == 1
    eventually(lambda: "numbering starts over behind records" in caplog.text, "a line in the log")
    assert "the broker has lost" not in caplog.text


def test_many_failures_are_few_lines(clients: Clients, topic: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    producer = producer_of(clients)
    for _ in range(20):
        producer.send(topic, TOO_LARGE)
        assert producer.flush(SECONDS) == 0
    gc.collect()
    # The 1st, 2nd, 4th, 8th and 16th batch.
    eventually(lambda: len(lines(caplog, topic)) == 5, "five lines in the log")


def test_a_failure_that_somebody_got_is_not_logged(
    clients: Clients, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    producer = producer_of(clients)
    with pytest.raises(MessageTooLargeError):
        producer.send(topic, TOO_LARGE).result(SECONDS)
    gc.collect()
    # Given up by a call that says so itself.
    producer.send(topic, b"value")
    producer.purge()
    producer.send(topic, TOO_LARGE)
    producer.flush(SECONDS)
    eventually(lambda: lines(caplog, topic), "a line in the log")
    assert len(lines(caplog, topic)) == 1


def test_a_callback_has_heard_of_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafkars")
    heard: list[bool] = []
    with EmbeddedBroker(topics={"heard": 1, "unheard": 1}) as broker:
        broker.intercept("Produce", TopicAuthorizationFailedError)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for topic, called in {"heard": lambda _: heard.append(True), "unheard": None}.items():
                producer.send(topic, b"v", on_delivery=called)
                assert producer.flush(SECONDS) == 0
                gc.collect()
            eventually(lambda: lines(caplog, "unheard"), "a line in the log")
    assert heard == [True]
    (line,) = lines(caplog, "unheard")
    assert "unheard" in line
