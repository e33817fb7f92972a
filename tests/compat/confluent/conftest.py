"""The library and its face: each test of this directory runs on both, and what they do must be the same."""

from __future__ import annotations

import importlib
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import confluent_kafka
import pytest

from tests.brokers import Broker

NUMBERS = itertools.count(1)
SECONDS = 20.0


LIBRARY, FACE = "confluent_kafka", "kafkars.compat.confluent_kafka"


@pytest.fixture(autouse=True)
def no_late_press() -> Iterator[None]:
    """Ctrl+C that is still to come when a test has failed would end another one, or all of them."""
    yield
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer) and thread.function in {os.kill, signal.raise_signal}:
            thread.cancel()


@pytest.fixture(params=[LIBRARY, FACE], ids=["original", "face"])
def ck(request: pytest.FixtureRequest) -> ModuleType:
    """`confluent_kafka`, of either."""
    return importlib.import_module(request.param)


class Clients:
    """Makes clients of one of the two on one broker, and closes them."""

    def __init__(self, ck: ModuleType, broker: Broker) -> None:
        self.ck = ck
        self.broker = broker
        self._open: list[Any] = []

    def consumer(self, settings: dict[str, Any] | None = None) -> Any:
        """A consumer of a group of its own that begins at the oldest message."""
        made = self.ck.Consumer(
            {
                "bootstrap.servers": self.broker.bootstrap_servers,
                "group.id": self.group(),
                "auto.offset.reset": "earliest",
                **(settings or {}),
            }
        )
        self._open.append(made)
        return made

    def producer(self, settings: dict[str, Any] | None = None) -> Any:
        """A producer."""
        made = self.ck.Producer({"bootstrap.servers": self.broker.bootstrap_servers, **(settings or {})})
        self._open.append(made)
        return made

    def writer(self) -> Any:
        """The library's own producer, for what is read."""
        return confluent_kafka.Producer({"bootstrap.servers": self.broker.bootstrap_servers})

    def group(self) -> str:
        """A group's name that nobody else has."""
        return f"confluent-{os.getpid()}-{next(NUMBERS)}"

    def topic(self, partitions: int = 1, messages: int = 0, settings: dict[str, str] | None = None) -> str:
        """A new topic with messages `value-N` in turn in its partitions, written by the library itself."""
        topic = self.broker.new_topic(partitions, settings)
        producer = self.writer()
        for number in range(messages):
            producer.produce(topic, f"value-{number}", key=f"key-{number}", partition=number % partitions)
        assert producer.flush(SECONDS) == 0
        return topic

    def close(self) -> None:
        """Closes what is open."""
        for client in self._open:
            client.close()


RUNS = [
    pytest.param((LIBRARY, "embedded_broker"), id="original"),
    pytest.param((FACE, "embedded_broker"), id="face"),
    # The library itself is not what is tested, and takes a while on a cluster that has just started.
    pytest.param((FACE, "kafka_cluster"), id="face-kafka", marks=pytest.mark.kafka),
]


@pytest.fixture(params=RUNS)
def clients(request: pytest.FixtureRequest) -> Iterator[Clients]:
    """Both on the embedded broker, and the face on real Kafka."""
    module, broker = request.param
    made = Clients(importlib.import_module(module), request.getfixturevalue(broker))
    yield made
    made.close()


def poll_until(client: Any, count: int) -> list[Any]:
    """The next `count` messages, errors among them."""
    messages: list[Any] = []
    deadline = time.monotonic() + SECONDS
    while len(messages) < count:
        assert time.monotonic() < deadline, (
            f"{len(messages)} of {count} messages: {[each.value() for each in messages]}"
        )
        message = client.poll(0.2)
        if message is not None:
            messages.append(message)
    return messages


def read_to_end(clients: Clients, topic: str) -> list[bytes]:
    """What a consumer reads up to the end, by default without what was aborted."""
    consumer = clients.consumer({"enable.partition.eof": True})
    consumer.assign([clients.ck.TopicPartition(topic, 0)])
    values = []
    while True:
        [message] = poll_until(consumer, 1)
        if message.error() is not None:
            assert message.error() == clients.ck.KafkaError._PARTITION_EOF
            return values
        values.append(message.value())


def serve_until(client: Any, condition: Callable[[], object], seconds: float = SECONDS) -> None:
    """Polls until a condition holds; there must be no message."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        message = client.poll(0.1)
        assert message is None or message == 0 or message.error() is None


def places(partitions: list[Any]) -> list[tuple[str, int, int]]:
    """Partitions as tuples."""
    return [(each.topic, each.partition, each.offset) for each in partitions]


def read_all(clients: Clients, topic: str, count: int) -> list[Any]:
    """What is in a topic of one partition, read by the library itself."""
    settings = {"bootstrap.servers": clients.broker.bootstrap_servers, "group.id": clients.group()}
    consumer = confluent_kafka.Consumer(settings)
    try:
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, confluent_kafka.OFFSET_BEGINNING)])
        messages: list[Any] = consumer.consume(count, SECONDS)
    finally:
        consumer.close()
    return messages
