"""What this package does for the Python processes of Spark, and only for those."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

MANY = 10_000
"""PySpark and pyarrow have several times as many objects."""


def test_a_worker_does_not_walk_through_its_modules_after_each_task(spark: Any) -> None:
    from tests.spark.programs.spared import TellingSource  # needs PySpark, which collecting does not

    spark.dataSource.register(TellingSource)
    with EmbeddedBroker(topics={"events": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("events", b"one").result(SECONDS)
        options = {"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": "events"}
        frame = spark.read.format("kafkars_spared").options(**options).schema("offset LONG").load()
        assert frame.collect()[0][0] > MANY


def test_a_program_of_its_own_is_left_alone() -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")
    from kafkars.spark.processes import pushes_filters, spare_modules

    before = gc.get_freeze_count()
    spare_modules()
    assert gc.get_freeze_count() == before
    assert not pushes_filters()
