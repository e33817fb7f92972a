"""Partitions that are assigned again go on where they are, and commits are told of though nothing is read."""

from __future__ import annotations

import time
from typing import Any

import pytest
from kafkars.compat.kafka import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafkars.compat.kafka_3 import KafkaConsumer as NewerConsumer

from tests.brokers import Broker

SECONDS = 10.0


def offsets_of(consumer: Any, count: int) -> list[int]:
    found: list[int] = []
    deadline = time.monotonic() + SECONDS
    while len(found) < count and time.monotonic() < deadline:
        found += [record.offset for records in consumer.poll(100, max_records=1).values() for record in records]
    return found


@pytest.mark.parametrize("kind", [KafkaConsumer, NewerConsumer])
def test_a_partition_that_is_assigned_again_goes_on(kind: Any, broker: Broker) -> None:
    topic = broker.new_topic(2)
    one, other = (TopicPartition(topic, number) for number in range(2))
    with KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for _ in range(4):
            producer.send(topic, b"value", partition=0).get(SECONDS)
    settings: dict[str, Any] = {"auto_offset_reset": "earliest", "group_id": topic, "enable_auto_commit": False}
    with kind(bootstrap_servers=broker.bootstrap_servers, **settings) as consumer:
        consumer.assign([one])
        assert offsets_of(consumer, 2) == [0, 1]
        consumer.assign([other, one])
        assert consumer.position(one) == 2
        consumer.pause(one)
        consumer.assign([one])
        assert consumer.paused() == {one}
        consumer.resume(one)
        assert offsets_of(consumer, 2) == [2, 3]
        # What was given back begins anew.
        consumer.assign([other])
        consumer.assign([one])
        assert offsets_of(consumer, 1) == [0]


@pytest.mark.parametrize("kind", [KafkaConsumer, NewerConsumer])
def test_the_callback_of_a_commit_runs_in_a_poll_of_nothing(kind: Any, broker: Broker) -> None:
    topic = broker.new_topic()
    told: list[Any] = []
    with kind(bootstrap_servers=broker.bootstrap_servers, group_id=topic) as consumer:
        place = TopicPartition(topic, 0)
        future = consumer.commit_async(
            {place: OffsetAndMetadata(5, "", -1)}, lambda offsets, response: told.append((offsets, response))
        )
        deadline = time.monotonic() + SECONDS
        while not told and time.monotonic() < deadline:
            assert consumer.poll(50) == {}
        assert told == [({place: OffsetAndMetadata(5, "", -1)}, None)]
        assert future.succeeded()
        assert consumer.committed(place) == 5
