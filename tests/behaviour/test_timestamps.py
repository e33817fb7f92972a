"""Timestamps: the producer's, or the broker's where the topic says so."""

from __future__ import annotations

import time

import pytest
from kafkars import TimestampType

from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS


def test_a_record_without_a_time_gets_that_of_the_send(clients: Clients, topic: str) -> None:
    before = now()
    stored = clients.producer().send(topic, b"value").result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    assert before - 1 <= record.timestamp <= now() + 1
    assert stored.timestamp == record.timestamp
    assert record.timestamp_type is TimestampType.CREATE_TIME
    assert stored.timestamp_type is TimestampType.CREATE_TIME


@pytest.mark.parametrize("timestamp", [0, 1, 1_700_000_000_123])
def test_a_time_that_was_given_is_kept(clients: Clients, timestamp: int) -> None:
    # Brokers delete what is older than a week whenever they look.
    topic = clients.broker.new_topic(settings={"retention.ms": "-1"})
    clients.producer().send(topic, b"value", timestamp=timestamp).result(SECONDS)
    (record,) = read(clients.consumer([(topic, 0)]), 1)
    assert record.timestamp == timestamp


def test_times_in_one_batch_need_no_order(clients: Clients) -> None:
    topic = clients.broker.new_topic(settings={"retention.ms": "-1"})
    times = [5_000_000, 1, 30_000_000_000, 2, 1_700_000_000_000, 0]
    producer = clients.producer(linger_ms=100)
    for moment in times:
        producer.send(topic, b"value", timestamp=moment)
    producer.flush(SECONDS)
    assert [record.timestamp for record in read(clients.consumer([(topic, 0)]), len(times))] == times


def test_the_broker_sets_the_time_where_the_topic_says_so(clients: Clients) -> None:
    topic = clients.broker.new_topic(settings={"message.timestamp.type": "LogAppendTime"})
    before = now()
    producer = clients.producer(linger_ms=50)
    sent = [producer.send(topic, b"value", timestamp=5 + number) for number in range(3)]
    stored = [each.result(SECONDS) for each in sent]
    records = read(clients.consumer([(topic, 0)]), 3)
    for metadata, record in zip(stored, records, strict=True):
        assert before - 1_000 <= record.timestamp <= now() + 1_000
        assert record.timestamp_type is TimestampType.LOG_APPEND_TIME
        assert metadata.timestamp == record.timestamp
        assert metadata.timestamp_type is TimestampType.LOG_APPEND_TIME


def now() -> int:
    return time.time_ns() // 1_000_000
