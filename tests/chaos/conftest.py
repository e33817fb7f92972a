"""A cluster of three brokers behind a proxy. The tests hurt it, so no other test uses it; each leaves it healed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.brokers import leave_out, why_no_kafka
from tests.chaos.cluster import ChaosCluster
from tests.chaos.scale import LONG, SHORT, Scale


@pytest.fixture
def scale(pytestconfig: pytest.Config) -> Scale:
    """How much of everything."""
    return LONG if pytestconfig.getoption("--chaos-long") else SHORT


@pytest.fixture
def seed(pytestconfig: pytest.Config) -> int:
    """Of all that is left to chance."""
    return int(pytestconfig.getoption("--chaos-seed"))


@pytest.fixture(scope="session")
def three_brokers(request: pytest.FixtureRequest) -> Iterator[ChaosCluster]:
    """Started when the first test asks for it."""
    reason = why_no_kafka()
    if reason is not None:
        leave_out(reason)
    with ChaosCluster(request.config.getoption("--kafka-version")) as cluster:
        yield cluster


@pytest.fixture
def cluster(three_brokers: ChaosCluster) -> Iterator[ChaosCluster]:
    """Whole and calm before and after the test."""
    three_brokers.heal()
    yield three_brokers
    three_brokers.heal()
