"""`default_offset_commit_callback` hears of automatic commits, and of those without a callback of their own."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from kafkars import Producer
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.compat.kafka import errors
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker

SECONDS = 20
RECORDS = 300


@pytest.fixture(params=[version_2, version_3], ids=["2", "3"])
def library(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def topic(broker: Broker) -> str:
    topic = broker.new_topic()
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for number in range(RECORDS):
            producer.send(topic, b"%d" % number)
    return topic


def reader(library: ModuleType, broker: Broker | EmbeddedBroker, topic: str, callback: Any, **settings: Any) -> Any:
    return library.KafkaConsumer(
        bootstrap_servers=broker.bootstrap_servers,
        group_id=f"group-{topic}",
        auto_offset_reset="earliest",
        default_offset_commit_callback=callback,
        **{"auto_commit_interval_ms": 50, **settings},
    )


def by_polls(consumer: Any, is_enough: Callable[[], bool]) -> None:
    until = time.monotonic() + SECONDS
    while not is_enough() and time.monotonic() < until:
        consumer.poll(200)


@pytest.mark.parametrize("way", ["assigned", "subscribed"])
def test_polls_tell_of_automatic_commits(broker: Broker, topic: str, library: ModuleType, way: str) -> None:
    told: list[tuple[Any, Any]] = []
    place = library.TopicPartition(topic, 0)
    consumer = reader(library, broker, topic, lambda *answer: told.append(answer))
    consumer.assign([place]) if way == "assigned" else consumer.subscribe([topic])
    by_polls(consumer, lambda: bool(told) and told[-1][0][place].offset == RECORDS)
    offsets, error = told[-1]
    assert (offsets[place].offset, error) == (RECORDS, None)
    assert isinstance(offsets[place], library.OffsetAndMetadata)
    assert consumer.committed(place) == RECORDS
    consumer.close()


def test_iteration_that_waits_tells_of_automatic_commits(broker: Broker, topic: str, library: ModuleType) -> None:
    told: list[Any] = []
    place = library.TopicPartition(topic, 0)
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:

        def one_more(offsets: Any, _: Any) -> None:
            told.append(offsets[place].offset)
            if told[-1] == RECORDS:
                producer.send(topic, b"one more")

        consumer = reader(library, broker, topic, one_more, consumer_timeout_ms=1000 * SECONDS)
        consumer.assign([place])
        assert [record.offset for record in itertools.islice(consumer, RECORDS + 1)][-1] == RECORDS
    assert RECORDS in told
    consumer.close()


def test_iteration_that_never_waits_tells_of_automatic_commits(broker: Broker, topic: str, library: ModuleType) -> None:
    told: list[Any] = []
    place = library.TopicPartition(topic, 0)
    consumer = reader(library, broker, topic, lambda offsets, _: told.append(offsets), consumer_timeout_ms=5000)
    consumer.assign([place])
    until = time.monotonic() + SECONDS
    for record in consumer:
        if told or time.monotonic() > until:
            break
        if record.offset == RECORDS - 50:
            consumer.seek(place, 0)
    assert told
    assert told[0][place].offset < RECORDS
    consumer.close()


def test_a_failed_one_is_told_with_its_error(library: ModuleType) -> None:
    told: list[Any] = []
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"value")
        consumer = reader(library, broker, "t", lambda _, error: told.append(error))
        consumer.assign([library.TopicPartition("t", 0)])
        with broker.intercept("OffsetCommit", "GROUP_AUTHORIZATION_FAILED", times=1):
            by_polls(consumer, lambda: bool(told))
        assert isinstance(told[0], errors.GroupAuthorizationFailedError)
        consumer.close()


def test_the_last_positions_are_committed_however_long_the_interval(
    broker: Broker, topic: str, library: ModuleType
) -> None:
    told: list[Any] = []
    place = library.TopicPartition(topic, 0)
    consumer = reader(library, broker, topic, told.append, auto_commit_interval_ms=600_000)
    consumer.subscribe([topic])
    by_polls(consumer, lambda: bool(consumer.assignment()) and consumer.position(place) == RECORDS)
    consumer.close()
    assert told == []
    with reader(library, broker, topic, None, enable_auto_commit=False) as other:
        assert other.committed(place) == RECORDS


def test_it_hears_of_a_commit_without_a_callback_of_its_own(broker: Broker, library: ModuleType) -> None:
    topic = broker.new_topic()
    told: list[Any] = []
    own: list[Any] = []
    place = library.TopicPartition(topic, 0)
    offsets = {place: library.OffsetAndMetadata(0, "", -1)}
    consumer = reader(library, broker, topic, lambda *answer: told.append(answer), enable_auto_commit=False)
    consumer.assign([place])
    consumer.commit_async(offsets, lambda *answer: own.append(answer))
    by_polls(consumer, lambda: bool(own))
    assert (own, told) == ([(offsets, None)], [])
    consumer.commit_async(offsets)
    by_polls(consumer, lambda: bool(told))
    assert (len(own), told) == (1, [(offsets, None)])
    consumer.commit(offsets)
    assert len(told) == 1
    consumer.close()


def test_none_is_no_callback(broker: Broker, library: ModuleType) -> None:
    topic = broker.new_topic()
    place = library.TopicPartition(topic, 0)
    consumer = reader(library, broker, topic, None)
    consumer.assign([place])
    future = consumer.commit_async({place: library.OffsetAndMetadata(0, "", -1)})
    by_polls(consumer, lambda: future.is_done)
    assert future.succeeded()
    consumer.close()
