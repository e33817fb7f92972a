"""Clients of the face, closed after the test."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator

import pytest
from kafkars.compat.kafka_legacy import KafkaClient

from tests.brokers import Broker

NUMBERS = itertools.count(1)


@pytest.fixture
def client(broker: Broker) -> Iterator[KafkaClient]:
    """On the embedded broker and on real Kafka."""
    made = KafkaClient(broker.bootstrap_servers)
    yield made
    made.close()


@pytest.fixture
def embedded(embedded_broker: Broker) -> Iterator[KafkaClient]:
    """On the embedded broker: what does not depend on the broker."""
    made = KafkaClient(embedded_broker.bootstrap_servers)
    yield made
    made.close()


@pytest.fixture
def group() -> Callable[[], str]:
    """Names of groups that no other test has."""
    return lambda: f"legacy-{os.getpid()}-{next(NUMBERS)}"
