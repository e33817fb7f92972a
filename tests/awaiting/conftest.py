"""A cluster whose topic `t` has ten records, and what no case may leave."""

from __future__ import annotations

from collections.abc import Iterator

import kafkars
import pytest
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

from tests.awaiting import turning

RECORDS = 10


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": 1, "w": 1}) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many("t", [b"%d" % number for number in range(RECORDS)])
        yield broker


@pytest.fixture(scope="module")
def two_leaders() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(nodes=2, topics={"p": 2}) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    """The address of a broker whose topic `t` has many records, and `sent` takes others."""
    with EmbeddedBroker(topics={"t": 1, "sent": 1}) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for _ in range(turning.RECORDS):
                producer.send("t", b"")
        yield broker.bootstrap_servers
