"""The pytest plugin `kafkars`: brokers and topics as fixtures.

It must be asked for: `pytest -p kafkars.testing.pytest_plugin`, or in a `conftest.py`

    pytest_plugins = ["kafkars.testing.pytest_plugin"]
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from kafkars.testing.broker import EmbeddedBroker, EmbeddedCluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONGEST_STEM = 80
"""The most characters of a test's name in the name of its topic; Kafka allows 249 in all."""

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def kafka_settings() -> dict[str, Any]:
    """The arguments of `EmbeddedBroker` for the brokers of the other fixtures. Override it to change them."""
    return {}


@pytest.fixture(scope="session")
def kafka_broker(kafka_settings: dict[str, Any]) -> Iterator[EmbeddedBroker]:
    """A broker for the whole run. `kafka_topic` gives each test a topic of its own."""
    with EmbeddedBroker(**kafka_settings) as broker:
        yield broker


@pytest.fixture
def fresh_kafka_broker(kafka_settings: dict[str, Any]) -> Iterator[EmbeddedBroker]:
    """A broker for this test alone, so that faults harm no other test."""
    with EmbeddedBroker(**kafka_settings) as broker:
        yield broker


@pytest.fixture
def kafka_cluster(kafka_settings: dict[str, Any]) -> Iterator[EmbeddedCluster]:
    """A cluster of three nodes for this test alone."""
    with EmbeddedCluster(**kafka_settings) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kafka_client_settings(kafka_broker: EmbeddedBroker) -> dict[str, Any]:
    """The settings with which clients of kafkars connect to `kafka_broker`, also if `kafka_settings` protects it."""
    return kafka_broker.client_settings()


@pytest.fixture(scope="session")
def kafka_bootstrap_servers(kafka_broker: EmbeddedBroker) -> str:
    """The addresses of `kafka_broker`, for any client."""
    return kafka_broker.bootstrap_servers


@pytest.fixture
def kafka_topics(kafka_broker: EmbeddedBroker, request: pytest.FixtureRequest) -> Callable[..., str]:
    """Creates topics on `kafka_broker`: `kafka_topics(partitions=3, configs={...})` returns a name that no other test
    has.
    """
    stem = re.sub(r"[^a-zA-Z0-9-]+", "-", request.node.name)[:LONGEST_STEM].strip("-")

    def create(partitions: int = 1, **settings: Any) -> str:
        name = f"{stem}-{next(_NUMBERS)}"
        kafka_broker.create_topic(name, partitions, **settings)
        return name

    return create


@pytest.fixture
def kafka_topic(kafka_topics: Callable[..., str]) -> str:
    """A topic with one partition on `kafka_broker` that no other test has."""
    return kafka_topics()
