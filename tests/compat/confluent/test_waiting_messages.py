"""Messages whose topic is not known: `produce()` never waits for it, and every one of them has its report."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from kafkars.testing import EmbeddedBroker

from tests.compat.confluent.conftest import SECONDS, Clients
from tests.compat.confluent.test_produce import Reports
from tests.compat.confluent.test_trouble import NOWHERE


@pytest.fixture
def bare() -> Iterator[EmbeddedBroker]:
    """A broker that creates no topic because somebody asks for it."""
    with EmbeddedBroker(auto_create_topics=False) as broker:
        yield broker


def test_a_topic_that_brokers_do_not_know_for_long_does_not_exist(ck: ModuleType, bare: EmbeddedBroker) -> None:
    reports = Reports()
    settings = {"topic.metadata.propagation.max.ms": 700, "message.timeout.ms": 60_000, "log_level": 0}
    producer = ck.Producer({"bootstrap.servers": bare.bootstrap_servers, **settings})
    producer.list_topics(timeout=SECONDS)
    started = time.monotonic()
    for number in range(3):
        producer.produce("missing", str(number), callback=reports)
    assert producer.flush(SECONDS) == 0
    assert 0.5 < time.monotonic() - started < 10
    unknown = {ck.KafkaError.UNKNOWN_TOPIC_OR_PART, ck.KafkaError._UNKNOWN_TOPIC}
    assert [code in unknown for code in reports.codes()] == [True, True, True]
    assert reports.values() == [b"0", b"1", b"2"]


def test_a_topic_that_comes_within_that_time_takes_what_waits(ck: ModuleType, bare: EmbeddedBroker) -> None:
    reports = Reports()
    producer = ck.Producer({"bootstrap.servers": bare.bootstrap_servers, "log_level": 0})
    for number in range(100):
        producer.produce("later", str(number), callback=reports)
    assert producer.flush(0.3) == 100
    bare.create_topic("later", 1)
    assert producer.flush(SECONDS) == 0
    assert reports.values() == [str(number).encode() for number in range(100)]
    assert [message.offset() for message in reports.messages] == list(range(100))


def test_messages_that_wait_are_bounded(ck: ModuleType) -> None:
    producer = ck.Producer({**NOWHERE, "queue.buffering.max.kbytes": 64})
    with pytest.raises(BufferError):
        for _ in range(200):
            producer.produce("topic", b"x" * 1_000)
    assert 50 <= len(producer) <= 70
    producer.purge()
    assert producer.flush(SECONDS) == 0


def test_messages_that_wait_keep_their_order_and_their_own_time(clients: Clients) -> None:
    topic, reports = clients.topic(partitions=2), Reports()
    producer = clients.producer()
    for number in range(500):
        producer.produce(topic, str(number), partition=number % 2, callback=reports)
    assert producer.flush(SECONDS) == 0
    assert reports.codes() == [None] * 500
    by_offset = sorted((message.partition(), message.offset(), message.value()) for message in reports.messages)
    expected = (*range(0, 500, 2), *range(1, 500, 2))
    assert [value for *_, value in by_offset] == [str(number).encode() for number in expected]


def test_what_waits_is_purged_and_what_comes_later_is_not(ck: ModuleType) -> None:
    reports = Reports()
    producer = ck.Producer({**NOWHERE, "message.timeout.ms": 5_000})
    for _ in range(3):
        producer.produce("topic", "early", callback=reports)
    producer.purge()
    producer.produce("topic", "late", callback=reports)
    assert producer.flush(SECONDS) == 0
    purged, late = ck.KafkaError._PURGE_QUEUE, ck.KafkaError._MSG_TIMED_OUT
    assert reports.codes() == [purged, purged, purged, late]


class NoKafka:
    """Answers whatever it is told as a web server does, and counts who comes."""

    def __init__(self) -> None:
        self.visits = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            self.visits += 1
            with peer:
                peer.settimeout(5)
                peer.recv(1_024)
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)


def test_messages_wait_for_brokers_that_are_none_without_a_storm(ck: ModuleType) -> None:
    server, reports = NoKafka(), Reports()
    settings: dict[str, Any] = {"bootstrap.servers": server.address, "log_level": 0, "message.timeout.ms": 3_000}
    producer = ck.Producer(settings)
    started, busy = time.monotonic(), time.process_time()
    producer.produce("topic", "value", callback=reports)
    assert producer.flush(SECONDS) == 0
    waited, worked = time.monotonic() - started, time.process_time() - busy
    server.close()
    assert reports.codes() == [ck.KafkaError._MSG_TIMED_OUT]
    assert waited > 2.5
    # With a pause that grows from reconnect.backoff.ms, 100, on.
    assert server.visits <= 100, server.visits
    assert worked < waited / 2, (worked, waited)


def test_a_tight_loop_from_the_start_keeps_its_order(clients: Clients) -> None:
    """Where the topic becomes known in the midst of it, messages that wait and new ones meet."""
    topics = [clients.broker.new_topic() for _ in range(3)]
    each = 10_000
    reports: dict[str, list[tuple[bytes, int]]] = {topic: [] for topic in topics}

    def report(error: Any, message: Any) -> None:
        assert error is None
        reports[message.topic()].append((message.value(), message.offset()))

    producer = clients.producer({"log_level": 0})
    for number in range(each):
        for topic in topics:
            producer.produce(topic, str(number), on_delivery=report)
    assert producer.flush(SECONDS) == 0
    expected = [(str(number).encode(), number) for number in range(each)]
    assert [reports[topic] == expected for topic in topics] == [True] * 3


@pytest.mark.parametrize("allowed", [None, True, False])
def test_a_producer_creates_topics_unless_that_is_not_allowed(clients: Clients, allowed: bool | None) -> None:
    settings: dict[str, Any] = {"topic.metadata.propagation.max.ms": 700, "log_level": 0}
    if allowed is not None:
        settings["allow.auto.create.topics"] = allowed
    reports = Reports()
    producer = clients.producer(settings)
    topic = f"absent-{clients.ck.__name__}-{allowed}-{time.monotonic_ns()}"
    producer.produce(topic, b"value", callback=reports)
    assert producer.flush(SECONDS) == 0
    unknown = clients.ck.KafkaError.UNKNOWN_TOPIC_OR_PART
    assert reports.codes() == [unknown if allowed is False else None]
    assert (topic in producer.list_topics(timeout=SECONDS).topics) is (allowed is not False)
