"""Topics that are deleted while a consumer reads them, has read them or has only asked about them."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from kafkars.compat import kafka, kafka_3
from kafkars.compat.kafka.errors import UnknownTopicIdError, UnknownTopicOrPartitionError
from kafkars.testing import EmbeddedBroker

SECONDS = 20.0
LONGER_THAN_A_TOPIC_IS_AWAITED = 5.0
"""An error of a topic that is missing comes after two seconds, and every two seconds."""

FACES = pytest.mark.parametrize("face", [kafka, kafka_3], ids=["2", "3"])


@contextmanager
def consumer_of(face: Any, broker: EmbeddedBroker, **settings: Any) -> Iterator[Any]:
    consumer = face.KafkaConsumer(
        bootstrap_servers=broker.bootstrap_servers,
        auto_offset_reset="earliest",
        heartbeat_interval_ms=50,
        metadata_max_age_ms=100,
        enable_auto_commit=False,
        **settings,
    )
    try:
        yield consumer
    finally:
        consumer.close()


def fill(broker: EmbeddedBroker, topic: str, count: int) -> None:
    producer = kafka.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
    for _ in range(count):
        producer.send(topic, b"value")
    producer.flush()
    producer.close()


def delete(broker: EmbeddedBroker, topic: str) -> None:
    admin = kafka.KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
    admin.delete_topics([topic])
    admin.close()


def topics_of(broker: EmbeddedBroker) -> set[str]:
    admin = kafka.KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
    try:
        return {topic for topic in admin.list_topics() if not topic.startswith("_")}
    finally:
        admin.close()


def polled(consumer: Any, count: int) -> list[str]:
    """The topics of so many records."""
    found: list[str] = []
    deadline = time.monotonic() + SECONDS
    while len(found) < count:
        assert time.monotonic() < deadline, found
        found.extend(record.topic for records in consumer.poll(50).values() for record in records)
    return found


def poll_until(consumer: Any, is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        consumer.poll(50)


def poll_for(consumer: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert consumer.poll(100) == {}


@FACES
@pytest.mark.parametrize("way", ["subscribed", "assigned", "assigned without a group"])
def test_a_deleted_topic_does_not_fail_the_reading_of_others(
    face: Any, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    with EmbeddedBroker(topics={"gone": 1, "stays": 1}, auto_create_topics=False) as broker:
        fill(broker, "gone", 1)
        fill(broker, "stays", 1)
        with consumer_of(face, broker, group_id=None if way.endswith("group") else "g") as consumer:
            if way == "subscribed":
                consumer.subscribe(["gone", "stays"])
            else:
                consumer.assign([face.TopicPartition("gone", 0), face.TopicPartition("stays", 0)])
            assert sorted(polled(consumer, 2)) == ["gone", "stays"]
            if way == "subscribed":
                # The group gives the topic up by a rebalance, after which it goes on from there.
                consumer.commit()
            with caplog.at_level(logging.WARNING):
                delete(broker, "gone")
                poll_for(consumer, LONGER_THAN_A_TOPIC_IS_AWAITED)
            told = [each for each in caplog.messages if "an assigned topic does not exist" in each]
            assert len(told) == 1, caplog.messages
            assert "gone" in told[0]
            fill(broker, "stays", 1)
            assert polled(consumer, 1) == ["stays"]


@FACES
def test_positions_are_committed_without_those_of_a_deleted_topic(face: Any) -> None:
    with EmbeddedBroker(topics={"gone": 1, "stays": 1}, auto_create_topics=False) as broker:
        fill(broker, "gone", 1)
        fill(broker, "stays", 1)
        gone, stays = face.TopicPartition("gone", 0), face.TopicPartition("stays", 0)
        with consumer_of(face, broker, group_id="g") as consumer:
            consumer.subscribe(["gone", "stays"])
            polled(consumer, 2)
            delete(broker, "gone")
            consumer.commit()
            assert consumer.committed(stays) == 1
            fill(broker, "stays", 1)
            assert polled(consumer, 1) == ["stays"]
            heard: list[Any] = []
            future = consumer.commit_async(callback=lambda _offsets, error: heard.append(error))
            poll_until(consumer, lambda: heard)
            assert heard == [None]
            assert future.succeeded()
            assert consumer.committed(stays) == 2
            # Whoever names a partition hears that it is gone.
            offset = face.OffsetAndMetadata(1, "", -1)
            with pytest.raises((UnknownTopicOrPartitionError, UnknownTopicIdError)):
                consumer.commit({gone: offset})


@FACES
def test_iteration_goes_on_when_its_only_topic_is_deleted(face: Any) -> None:
    with EmbeddedBroker(topics={"gone": 1}, auto_create_topics=False) as broker:
        fill(broker, "gone", 1)
        limit = int(LONGER_THAN_A_TOPIC_IS_AWAITED * 1000)
        with consumer_of(face, broker, group_id="g", consumer_timeout_ms=limit) as consumer:
            consumer.subscribe(["gone"])
            assert next(consumer).topic == "gone"
            delete(broker, "gone")
            assert list(consumer) == []


@FACES
def test_a_pattern_whose_last_topic_is_deleted_waits_for_others(face: Any) -> None:
    with EmbeddedBroker(topics={"some-1": 1}) as broker:
        fill(broker, "some-1", 1)
        with consumer_of(face, broker, group_id="g") as consumer:
            consumer.subscribe(pattern="^some-")
            assert polled(consumer, 1) == ["some-1"]
            delete(broker, "some-1")
            poll_until(consumer, lambda: not consumer.assignment())
            poll_for(consumer, LONGER_THAN_A_TOPIC_IS_AWAITED)
            assert consumer.subscription() == set()
            assert topics_of(broker) == set()
            consumer.commit()
            fill(broker, "some-2", 1)
            assert polled(consumer, 1) == ["some-2"]


@FACES
def test_a_topic_that_was_only_asked_about_stays_deleted(face: Any) -> None:
    with EmbeddedBroker(topics={"read": 1, "other": 2}) as broker:
        fill(broker, "read", 1)
        with consumer_of(face, broker, group_id="g") as consumer:
            consumer.subscribe(["read"])
            polled(consumer, 1)
            assert consumer.partitions_for_topic("other") == {0, 1}
            delete(broker, "other")
            poll_for(consumer, 1.0)
            assert topics_of(broker) == {"read"}


@FACES
@pytest.mark.parametrize("group", [None, "g"])
def test_a_topic_that_is_not_subscribed_any_more_stays_deleted(face: Any, group: str | None) -> None:
    with EmbeddedBroker(topics={"read": 1, "other": 1}) as broker:
        fill(broker, "read", 1)
        fill(broker, "other", 1)
        with consumer_of(face, broker, group_id=group) as consumer:
            consumer.subscribe(["read", "other"])
            polled(consumer, 2)
            consumer.subscribe(["read"])
            poll_until(consumer, lambda: {each.topic for each in consumer.assignment()} == {"read"})
            delete(broker, "other")
            end = time.monotonic() + 1.0
            while time.monotonic() < end:
                consumer.poll(50)
            assert topics_of(broker) == {"read"}


@FACES
def test_iteration_reads_nothing_of_a_topic_that_is_not_subscribed_any_more(face: Any) -> None:
    with EmbeddedBroker(topics={"old": 1, "new": 1}) as broker:
        fill(broker, "old", 20)
        fill(broker, "new", 3)
        with consumer_of(face, broker, group_id="g") as consumer:
            consumer.subscribe(["old"])
            assert [next(consumer).topic for _ in range(2)] == ["old"] * 2
            consumer.subscribe(["new"])
            assert consumer.paused() == set()
            assert [next(consumer).topic for _ in range(3)] == ["new"] * 3
