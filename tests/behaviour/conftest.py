"""Fixtures of behaviour tests: each runs on every broker and with every flavour of the clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.brokers import Broker
from tests.support.clients import Clients
from tests.support.groups import PROTOCOLS, Group


@pytest.fixture
def clients(broker: Broker, client_api: Any) -> Iterator[Clients]:
    """Makes clients of the flavour and for the broker of this run, and closes them."""
    made = Clients(broker, client_api)
    yield made
    made.close()


@pytest.fixture
def kafka_clients(kafka_cluster: Broker, client_api: Any) -> Iterator[Clients]:
    """Clients on real Kafka, for what the embedded broker cannot do or other libraries must confirm."""
    made = Clients(kafka_cluster, client_api)
    yield made
    made.close()


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> str:
    """Kafka's two group protocols."""
    found: str = request.param
    return found


@pytest.fixture
def group(clients: Clients, protocol: str) -> Group:
    """A group that no other test has, and a topic of four partitions with ten records each."""
    return Group(clients, protocol)
