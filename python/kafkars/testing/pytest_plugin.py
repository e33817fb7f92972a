"""The pytest plugin `kafkars`: brokers and topics as fixtures.

It is there for those who ask for it: `pytest -p kafkars.testing.pytest_plugin`, or in a `conftest.py`

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
"""Characters of a test's name that go into a topic's; Kafka allows 249 in all."""

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def kafka_settings() -> dict[str, Any]:
    """What the brokers of the other fixtures are started with: arguments of `EmbeddedBroker`. Override it to change
    them.
    """
    return {}


@pytest.fixture(scope="session")
def kafka_broker(kafka_settings: dict[str, Any]) -> Iterator[EmbeddedBroker]:
    """A broker for the whole run. Give each test a topic of its own with `kafka_topic`."""
    with EmbeddedBroker(**kafka_settings) as broker:
        yield broker


@pytest.fixture
def fresh_kafka_broker(kafka_settings: dict[str, Any]) -> Iterator[EmbeddedBroker]:
    """A broker for this test alone, to be broken by faults at will."""
    with EmbeddedBroker(**kafka_settings) as broker:
        yield broker


@pytest.fixture
def kafka_cluster(kafka_settings: dict[str, Any]) -> Iterator[EmbeddedCluster]:
    """A cluster of three nodes for this test alone."""
    with EmbeddedCluster(**kafka_settings) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def kafka_client_settings(kafka_broker: EmbeddedBroker) -> dict[str, Any]:
    """What a client of kafkars needs to be let in by `kafka_broker`, however `kafka_settings` protects it."""
    return kafka_broker.client_settings()


@pytest.fixture(scope="session")
def kafka_bootstrap_servers(kafka_broker: EmbeddedBroker) -> str:
    """The addresses of `kafka_broker`, as every client takes it."""
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
