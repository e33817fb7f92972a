"""A cluster whose topic `t` has ten records, and what no case may leave."""

from __future__ import annotations

from collections.abc import Iterator

import kafkars
import pytest
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

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
