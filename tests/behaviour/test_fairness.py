"""One partition is paused, full or slow: the others keep their order and are not held up."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from kafkars import TopicPartition

from tests.support.clients import Clients, numbers, read, values
from tests.support.waiting import SECONDS

BUFFER = 1 << 20
LARGE = b"x" * 50_000
# Several times what the buffer holds.
COUNT = 100


def filled(clients: Clients) -> tuple[str, Any]:
    """A topic whose first partition holds far more than the consumer's buffer, and the consumer, its buffer full of
    it."""
    topic = clients.broker.new_topic(partitions=2)
    producer = clients.producer()
    for _ in range(COUNT):
        producer.send(topic, LARGE, partition=0)
    producer.flush(SECONDS)
    consumer = clients.consumer([(topic, 0), (topic, 1)], fetch_buffer_bytes=BUFFER, stuck_timeout_ms=10_000)
    deadline = time.monotonic() + SECONDS
    while consumer.memory_usage().waiting < BUFFER:
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
    return topic, consumer


@pytest.mark.timeout(120)
def test_a_paused_partition_that_fills_the_buffer_starves_nobody(clients: Clients) -> None:
    topic, consumer = filled(clients)
    consumer.pause([(topic, 0)])
    for burst in range(3):
        sent = numbers(burst * 20, burst * 20 + 20)
        clients.fill(topic, range(burst * 20, burst * 20 + 20), partition=1)
        assert values(read(consumer, 20)) == sent
    consumer.resume([(topic, 0)])
    assert [record.offset for record in read(consumer, COUNT)] == list(range(COUNT))
    assert consumer.position(TopicPartition(topic, 0)) == COUNT


@pytest.mark.timeout(120)
def test_a_partition_paused_between_any_two_records_loses_none(clients: Clients) -> None:
    topic, consumer = filled(clients)
    clients.fill(topic, range(40), partition=1)
    seen: dict[int, list[int]] = {0: [], 1: []}
    deadline = time.monotonic() + 2 * SECONDS
    for turn in range(10_000):
        if len(seen[0]) == COUNT and len(seen[1]) == 40:
            break
        assert time.monotonic() < deadline, seen
        number = turn // 3 % 2
        consumer.pause([(topic, number)])
        for record in consumer.poll_batch(max_records=2, timeout=0.01):
            assert record.partition != number
            seen[record.partition].append(record.offset)
        consumer.resume([(topic, number)])
    assert seen == {0: list(range(COUNT)), 1: list(range(40))}
