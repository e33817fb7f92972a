"""Filters that Spark pushes narrow what a batch query reads, and never to less than they leave."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")

from kafkars.spark import reading, schema
from kafkars.spark.batch import PushingReader
from kafkars.spark.columns import Columns
from kafkars.spark.options import source_options
from pyspark.sql.datasource import EqualTo, GreaterThan, GreaterThanOrEqual, LessThan

pytestmark = [pytest.mark.spark, pytest.mark.timeout(120)]

TOPIC = "events"
BEGIN = 1_700_000_000_000
RECORDS = 3_000
VALUE = b"x" * 1_000


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A broker with two partitions of a record for each second."""
    with EmbeddedBroker(topics={TOPIC: 2}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers, batch_size=10_000) as producer:
            for number in range(RECORDS):
                producer.send(TOPIC, VALUE, partition=number % 2, timestamp=BEGIN + number * 1_000)
            producer.flush(SECONDS)
        yield broker.bootstrap_servers
        while reading._idle:
            reading._idle.popitem()[1].close()


def planned(address: str, *filters: Any) -> dict[int, tuple[int, int]]:
    """The range of each partition that is left."""
    options = source_options({"kafka.bootstrap.servers": address, "subscribe": TOPIC}, streaming=False)
    reader = PushingReader(options, schema.full(options))
    assert list(reader.pushFilters(list(filters))) == list(filters), "Spark applies all of them too"
    return {task.range.partition.partition: (task.range.start, task.range.end) for task in reader.partitions()}  # type: ignore[attr-defined]


def local(number: float) -> dt.datetime:
    """A time as PySpark hands it over: in the zone of the process, without saying so."""
    return dt.datetime.fromtimestamp(BEGIN / 1_000 + number)  # noqa: DTZ006


def test_a_time_begins_at_its_record(address: str) -> None:
    assert planned(address, GreaterThanOrEqual(("timestamp",), local(2_000))) == {0: (1_000, 1_500), 1: (1_000, 1_500)}


@pytest.mark.parametrize("kind", [EqualTo, GreaterThan, GreaterThanOrEqual])
@pytest.mark.parametrize("year", [1, 1960, 2300, 9999])
def test_a_time_that_is_far_away_bounds_or_is_left_to_spark(address: str, kind: Any, year: int) -> None:
    last = dt.datetime(year, 12, 31, 23, 59, 59) if year > 2000 else dt.datetime(year, 1, 1)  # noqa: DTZ001
    found = planned(address, kind(("timestamp",), last))
    if year < 2000:
        assert found == {0: (0, 1_500), 1: (0, 1_500)}
    else:
        # 9999 ends in the year 10,000 in zones west of here, where it is left to Spark.
        assert found in ({}, {0: (0, 1_500), 1: (0, 1_500)} if year == 9999 else {})


def test_what_filters_leave_out_is_not_fetched() -> None:
    """Acceptance 14 of the design: the bytes that are fetched are in proportion to what is left."""
    with EmbeddedBroker(topics={TOPIC: 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers, batch_size=10_000) as producer:
            producer.send_many(TOPIC, [VALUE] * RECORDS).result(SECONDS)
        given = {"kafka.bootstrap.servers": broker.bootstrap_servers, "subscribe": TOPIC}
        # Small answers and few of them at a time: what is read ahead is little, however slow the reader.
        given |= {"kafka.max.partition.fetch.bytes": "50000", "kafka.fetch.buffer.bytes": "100000"}
        options = source_options(given, streaming=False)
        fetches: list[int] = []
        for filters in (
            [],
            [GreaterThanOrEqual(("offset",), RECORDS * 9 // 10)],
            [LessThan(("offset",), RECORDS // 10)],
        ):
            reader = PushingReader(options, schema.full(options))
            list(reader.pushFilters(filters))
            broker.forget_requests()
            columns = Columns(schema.full(options), options)
            rows = sum(
                batch.num_rows
                for task in reader.partitions()
                for batch in reading.read(task.range, columns, options)  # type: ignore[attr-defined]
            )
            assert rows == (RECORDS // 10 if filters else RECORDS)
            fetches.append(sum(each.api == "Fetch" for each in broker.requests()))
            while reading._idle:
                reading._idle.popitem()[1].close()
        whole, *some = fetches
        assert max(some) < whole / 3, fetches
