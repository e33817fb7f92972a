"""One Spark for all tests of this folder, and topics with everything in them that a topic can have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.brokers import Broker, leave_out
from tests.kafka.jars import JarsUnavailableError
from tests.spark import connector
from tests.spark.queries import Queries


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that only `make soak` has time for are there with --chaos-long."""
    long = {item for item in items if item.get_closest_marker("soak")}
    if not config.getoption("--chaos-long") and long:
        config.hook.pytest_deselected(items=list(long))
        items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")
    from tests.spark import session

    started = session.start(tmp_path_factory.mktemp("spark"))
    yield started
    started.stop()


@pytest.fixture
def queries(spark: Any, kafka_cluster: Broker, tmp_path: Path) -> Queries:
    """Reads and writes of one test on the shared Kafka."""
    return Queries(spark, kafka_cluster, tmp_path)


@pytest.fixture(scope="session")
def oracle() -> str:
    """The name of Spark's own connector, for tests that compare with it."""
    try:
        connector.fetch()
    except JarsUnavailableError as error:
        leave_out(str(error))
    return "kafka"
