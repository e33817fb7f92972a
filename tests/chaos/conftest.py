"""A cluster of three brokers behind a proxy. The tests hurt it, so no other test uses it; each leaves it healed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.brokers import in_ci, why_no_kafka
from tests.chaos.cluster import FAULTS, ChaosCluster


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The short form is one run with every fault at once; the long one also has each alone, and other seeds."""
    seeds = metafunc.config.getoption("--chaos-seeds")
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(seeds))
    if "which" in metafunc.fixturenames:
        metafunc.parametrize("which", FAULTS if seeds > 1 else FAULTS[:1])


@pytest.fixture(scope="session")
def three_brokers(request: pytest.FixtureRequest) -> Iterator[ChaosCluster]:
    """Started when the first test asks for it."""
    reason = why_no_kafka()
    if reason is not None:
        pytest.fail(reason) if in_ci() else pytest.skip(reason)
    with ChaosCluster(request.config.getoption("--kafka-version")) as cluster:
        yield cluster


@pytest.fixture
def cluster(three_brokers: ChaosCluster) -> Iterator[ChaosCluster]:
    """Whole and calm before and after the test."""
    three_brokers.heal()
    yield three_brokers
    three_brokers.heal()
