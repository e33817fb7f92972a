"""Ctrl+C ends every call that blocks, within a tenth of a second, with a clean KeyboardInterrupt."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import kafkars.aio
import pytest
from kafkars import Consumer, Producer
from kafkars.testing import EmbeddedBroker

LIMIT = 0.1
TRIES = 3  # the machine may be busy; a call that ignores signals fails all of them


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1}, auto_create_topics=False) as started:
        yield started


@pytest.fixture
def consumer(broker: EmbeddedBroker) -> Iterator[Consumer[Any, Any]]:
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as made:
        made.assign([("t", 0)])
        yield made


@pytest.fixture
def producer(broker: EmbeddedBroker) -> Iterator[Producer[Any, Any]]:
    settings: dict[str, Any] = {"buffer_memory": 20_000, "max_request_size": 15_000, "batch_size": 15_000}
    producer = Producer(bootstrap_servers=broker.bootstrap_servers, allow_auto_create_topics=False, **settings)
    yield producer
    with contextlib.suppress(TimeoutError):
        producer.close(0)


def interrupted_after(call: Callable[[], object]) -> float:
    """Seconds from the signal to the exception, the best of a few tries."""
    best = float("inf")
    for _ in range(TRIES):
        sent: list[float] = []

        def interrupt(sent: list[float] = sent) -> None:
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.1, interrupt)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            call()
        best = min(best, time.monotonic() - sent[0])
        timer.join()
        if best < LIMIT:
            break
    return best


CONSUMER_CALLS: dict[str, Callable[[Consumer[Any, Any]], object]] = {
    "poll": lambda consumer: consumer.poll(None),
    "poll with a limit": lambda consumer: consumer.poll(10),
    "poll_batch": lambda consumer: consumer.poll_batch(timeout=None),
    "iteration": list,
}


@pytest.mark.parametrize("call", CONSUMER_CALLS)
def test_waiting_for_records(consumer: Consumer[Any, Any], call: str) -> None:
    assert interrupted_after(lambda: CONSUMER_CALLS[call](consumer)) < LIMIT


QUESTIONS: dict[str, Callable[[Consumer[Any, Any]], object]] = {
    "position": lambda consumer: consumer.position(("t", 0)),
    "beginning_offsets": lambda consumer: consumer.beginning_offsets([("t", 0)]),
    "end_offsets": lambda consumer: consumer.end_offsets([("t", 0)]),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times({("t", 0): 1}),
    "topics": lambda consumer: consumer.topics(),
    "partitions_for": lambda consumer: consumer.partitions_for("t"),
}


@pytest.mark.parametrize("call", QUESTIONS)
def test_asking_a_cluster_that_says_nothing(broker: EmbeddedBroker, call: str) -> None:
    broker.intercept("ListOffsets", "drop")
    broker.intercept("Metadata", "drop")
    with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        consumer.assign([("t", 0)])
        assert interrupted_after(lambda: QUESTIONS[call](consumer)) < LIMIT


def test_sending_to_a_topic_that_does_not_come(producer: Producer[Any, Any]) -> None:
    assert interrupted_after(lambda: producer.send("missing", b"value")) < LIMIT


def test_asking_for_partitions_that_do_not_come(producer: Producer[Any, Any]) -> None:
    assert interrupted_after(lambda: producer.partitions_for("missing")) < LIMIT


def test_sending_into_a_full_buffer(broker: EmbeddedBroker, producer: Producer[Any, Any]) -> None:
    broker.intercept("Produce", "drop")

    def fill() -> None:
        while True:
            producer.send("t", bytes(5_000))

    assert interrupted_after(fill) < LIMIT


PRODUCER_CALLS: dict[str, Callable[[Producer[Any, Any], Any], object]] = {
    "flush": lambda producer, _: producer.flush(),
    "result": lambda _, delivery: delivery.result(),
    "exception": lambda _, delivery: delivery.exception(),
    "poll": lambda producer, _: producer.poll(None),
}


@pytest.mark.parametrize("call", PRODUCER_CALLS)
def test_waiting_for_a_delivery_that_does_not_come(
    broker: EmbeddedBroker, producer: Producer[Any, Any], call: str
) -> None:
    broker.intercept("Produce", "drop")
    delivery = producer.send("t", b"value", on_delivery=lambda _: None)
    assert interrupted_after(lambda: PRODUCER_CALLS[call](producer, delivery)) < LIMIT


def test_closing_a_producer_that_cannot_send(broker: EmbeddedBroker) -> None:
    broker.intercept("Produce", "drop")

    def send_and_close() -> None:
        producer = Producer(bootstrap_servers=broker.bootstrap_servers)
        producer.send("t", b"value")
        producer.close()

    assert interrupted_after(send_and_close) < LIMIT


def test_an_interrupted_call_leaves_the_client_usable(consumer: Consumer[Any, Any], broker: EmbeddedBroker) -> None:
    interrupted_after(lambda: consumer.poll(None))
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("t", b"value").result(5)
    record = consumer.poll(5)
    assert record is not None
    assert record.value == b"value"


def test_an_event_loop_that_waits_for_records(broker: EmbeddedBroker) -> None:
    async def wait() -> None:
        async with kafkars.aio.Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
            consumer.assign([("t", 0)])
            await consumer.poll(None)

    assert interrupted_after(lambda: asyncio.run(wait())) < LIMIT


def test_a_signal_handler_that_does_not_raise_does_not_end_the_call(consumer: Consumer[Any, Any]) -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _frame: seen.append(number))
    try:
        timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1))
        timer.start()
        assert consumer.poll(0.4) is None
        timer.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [signal.SIGUSR1]
