"""What a replay may not differ in, and what a worker's kept producer has to learn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.admin import Admin
from kafkars.testing import EmbeddedBroker

pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")

from kafkars.spark import sink
from kafkars.spark.errors import ReplayDiffersError
from kafkars.spark.marks import MicroBatchTask
from kafkars.spark.options import SinkOptions, sink_options
from kafkars.spark.sink import StreamWriter, Written
from pyspark.sql.types import BinaryType, StructField, StructType

pa: Any = pytest.importorskip("pyarrow", reason="PyArrow is not installed: make test-spark installs it")

pytestmark = [pytest.mark.spark, pytest.mark.timeout(120)]

TOPIC = "events"
SCHEMA = StructType([StructField("value", BinaryType())])
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={TOPIC: 1}) as started:
        yield started


def options(broker: EmbeddedBroker, **given: str) -> SinkOptions:
    address = {"kafka.bootstrap.servers": broker.bootstrap_servers, "topic": TOPIC}
    return sink_options({**address, **given}, streaming=True)


def writer(broker: EmbeddedBroker) -> StreamWriter:
    return StreamWriter(options(broker, **{"kafkars.delivery": "exactly-once"}), SCHEMA)


def rows(**columns: Any) -> Iterator[Any]:
    return iter([pa.record_batch(columns)])


def values(*wanted: bytes) -> Any:
    return pa.array(wanted, pa.binary())


def headers(*wanted: Any) -> Any:
    return pa.array(wanted, HEADERS)


ONE = {"key": values(b"a"), "value": values(b"bc")}
WITH_HEADER = {"value": values(b"a"), "headers": headers([{"key": "x", "value": b"1"}])}


@pytest.mark.parametrize(
    ("written", "replayed"),
    [
        (ONE, {"key": values(b"ab"), "value": values(b"c")}),
        (ONE, {"key": values(b"a"), "value": values(b"bd")}),
        ({"value": values(b"")}, {"value": pa.array([None], pa.binary())}),
        (WITH_HEADER, {"value": values(b"a"), "headers": headers([{"key": "x", "value": b"2"}])}),
        (WITH_HEADER, {"value": values(b"a"), "headers": headers([])}),
        (WITH_HEADER, {"value": values(b"a"), "headers": headers(None)}),
        (
            {"value": values(b"a"), "partition": pa.array([0], pa.int32())},
            {"value": values(b"a"), "partition": pa.array([None], pa.int32())},
        ),
    ],
)
def test_a_replay_with_any_other_value_is_refused(broker: EmbeddedBroker, written: Any, replayed: Any) -> None:
    batch = MicroBatchTask("query", 0, 0)
    assert writer(broker).write_once(rows(**written), batch) == Written(1, began="query")
    assert writer(broker).write_once(rows(**written), batch) == Written(1, skipped=True)
    with pytest.raises(ReplayDiffersError, match="the rows of a replay must be the same"):
        writer(broker).write_once(rows(**replayed), batch)
    assert len(broker.records(TOPIC)) == 1


@pytest.fixture(autouse=True)
def forget_runs() -> None:
    sink._runs.clear()


def test_a_replay_with_fewer_tasks_is_told(broker: EmbeddedBroker) -> None:
    stream = writer(broker)
    # The driver dies when the last of three tasks has committed; it comes back without minPartitions.
    stream.write_once(rows(value=values(b"c")), MicroBatchTask("query", 4, 2, "first run"))
    told = stream.write_once(rows(value=values(b"a", b"b", b"c")), MicroBatchTask("query", 4, 0, "second run"))
    with pytest.raises(ReplayDiffersError, match="tasks 2 are in the topic twice"):
        stream.commit([told], 4)


def test_a_batch_with_fewer_tasks_than_the_one_before_is_none(broker: EmbeddedBroker) -> None:
    stream = writer(broker)
    for task in range(3):
        stream.write_once(rows(value=values(b"%d" % task)), MicroBatchTask("query", 4, task, "first run"))
    told = stream.write_once(rows(value=values(b"a")), MicroBatchTask("query", 5, 0, "second run"))
    assert told == Written(1, began="query")
    stream.commit([told], 5)
    # Only the first batch of a run is looked at.
    told = stream.write_once(rows(value=values(b"a")), MicroBatchTask("query", 6, 0, "second run"))
    assert told == Written(1)


def test_rows_for_a_partition_that_was_added_meanwhile_are_written(broker: EmbeddedBroker) -> None:
    chosen = options(broker)
    assert sink.write_through_kept(chosen, rows(value=values(b"x"))) == 1
    with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        admin.create_partitions({TOPIC: 3})
    batches = [
        pa.record_batch({"value": values(b"y"), "partition": pa.array([0], pa.int32())}),
        pa.record_batch({"value": values(b"z"), "partition": pa.array([2], pa.int32())}),
    ]
    assert sink.write_through_kept(chosen, iter(batches)) == 2
    assert sorted(record.partition for record in broker.records(TOPIC)) == [0, 0, 2]
