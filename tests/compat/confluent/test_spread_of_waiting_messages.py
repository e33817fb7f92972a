"""Messages without key that wait for their topic's first metadata: all are sent at once, and not to one partition."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.compat.confluent.conftest import LIBRARY, SECONDS, Clients

MESSAGES, PARTITIONS = 300, 3
LEAST = 60
"""Messages of a partition: 40 below the mean is five standard deviations."""


def late(clients: Clients) -> Any:
    """The time in which the broker's metadata is late."""
    return clients.broker.handle.intercept("Metadata", "delay", seconds=1.0)


@pytest.fixture(autouse=True)
def embedded(clients: Clients) -> None:
    if clients.broker.kind != "embedded":
        pytest.skip("metadata of a real cluster comes when it comes")
    if clients.ck.__name__ == LIBRARY:
        pytest.skip("spreads them too, unless it is connected to the leader by then")


@pytest.mark.parametrize("settings", [{}, {"linger.ms": 500}, {"partitioner": "murmur2_random"}])
def test_they_go_to_all_partitions(clients: Clients, settings: dict[str, Any]) -> None:
    topic, places = clients.topic(PARTITIONS), Counter[int]()
    producer = clients.producer(settings)
    with late(clients):
        for _ in range(MESSAGES):
            producer.produce(topic, b"value", on_delivery=lambda _, message: places.update([message.partition()]))
        assert producer.flush(SECONDS) == 0
    assert sorted(places) == list(range(PARTITIONS))
    assert min(places.values()) > LEAST


def test_those_with_a_key_go_where_it_says(clients: Clients) -> None:
    topic, places = clients.topic(PARTITIONS), Counter[int]()
    producer = clients.producer()
    with late(clients):
        for _ in range(MESSAGES):
            producer.produce(topic, b"value", b"key", on_delivery=lambda _, told: places.update([told.partition()]))
        assert producer.flush(SECONDS) == 0
    assert list(places.values()) == [MESSAGES]
