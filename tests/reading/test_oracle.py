"""A partition with interleaved transactions of several producers is read from every offset, in both isolation levels
and several fetch sizes; what comes is what was written. confluent-kafka, Java's consumer and Kafka's own dump of the
log say the same.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any

import confluent_kafka
import pytest
from kafkars import Consumer, TopicPartition

from tests.reading.history import Author, History
from tests.support.java_tools import JavaTools, run_alone
from tests.support.waiting import SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.brokers import Broker

SEEDS = range(int(os.environ.get("KAFKARS_SEEDS", "2")))
ISOLATIONS = ("read_uncommitted", "read_committed")
# Less than any batch, a few batches, everything.
FETCH_SIZES = (1, 300, 1 << 20)

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(params=SEEDS)
def history(request: pytest.FixtureRequest, broker: Broker) -> Iterator[History]:
    author = Author(broker, request.param)
    try:
        written = author.write()
        settle(broker, written)
        yield written
    finally:
        author.close()


def settle(broker: Broker, history: History) -> None:
    """Waits until the markers of ended transactions are written: what is open then was left open."""
    partition = TopicPartition(history.topic, 0)
    left_open = [
        record.offset
        for record in history.records
        if record.transaction is not None and record.transaction.committed is None
    ]
    with (
        Consumer(bootstrap_servers=broker.bootstrap_servers, isolation_level="read_committed") as committed,
        Consumer(bootstrap_servers=broker.bootstrap_servers) as uncommitted,
    ):
        deadline = time.monotonic() + SECONDS
        while True:
            history.end = uncommitted.end_offsets([partition])[partition]
            history.stable_end = committed.end_offsets([partition])[partition]
            history.start = uncommitted.beginning_offsets([partition])[partition]
            if history.stable_end == min(left_open, default=history.end):
                return
            assert time.monotonic() < deadline, f"stable to {history.stable_end} of {history.end}"


@pytest.mark.parametrize("isolation", ISOLATIONS)
@pytest.mark.parametrize("size", FETCH_SIZES)
def test_every_offset_shows_what_was_written(broker: Broker, history: History, isolation: str, size: int) -> None:
    partition = TopicPartition(history.topic, 0)
    end = history.stable_end if isolation == "read_committed" else history.end
    with Consumer(
        bootstrap_servers=broker.bootstrap_servers,
        isolation_level=isolation,
        max_partition_fetch_bytes=size,
        auto_offset_reset="none",
    ) as consumer:
        consumer.assign([partition])
        for start in range(history.start, history.end + 1):
            consumer.seek(partition, start)
            seen = list(read_to(consumer, partition, end))
            assert seen == history.readable(start, isolation), f"from {start}"


def read_to(consumer: Consumer[Any, Any], partition: TopicPartition, end: int) -> Iterator[tuple[int, Any]]:
    deadline = time.monotonic() + SECONDS
    while consumer.position(partition) < end:
        assert time.monotonic() < deadline, f"at {consumer.position(partition)} of {end}"
        for record in consumer.poll_batch(timeout=0.05):
            yield record.offset, record.value


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_confluent_sees_the_same_from_every_offset(broker: Broker, history: History, isolation: str) -> None:
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": broker.bootstrap_servers,
            "group.id": "reading",
            "isolation.level": isolation,
            "enable.partition.eof": True,
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 10,
        }
    )
    # Between the two ends librdkafka tells no end of the partition.
    end = history.stable_end if isolation == "read_committed" else history.end
    try:
        for start in range(history.start, end + 1, 3):
            consumer.assign([confluent_kafka.TopicPartition(history.topic, 0, start)])
            assert list(until_end(consumer)) == history.readable(start, isolation), f"from {start}"
    finally:
        consumer.close()


def until_end(consumer: confluent_kafka.Consumer) -> Iterator[tuple[int, bytes]]:
    while True:
        message = consumer.poll(SECONDS)
        assert message is not None
        error = message.error()
        if error is not None:
            assert error.code() == confluent_kafka.KafkaError._PARTITION_EOF, error
            return
        offset, value = message.offset(), message.value()
        assert offset is not None
        assert isinstance(value, bytes)
        yield offset, value


@pytest.mark.kafka
@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_java_sees_the_same(kafka_cluster: Broker, isolation: str) -> None:
    author = Author(kafka_cluster, seed=0)
    try:
        history = author.write()
        settle(kafka_cluster, history)
        expected = history.readable(history.start, isolation)
        tools = JavaTools(kafka_cluster.bootstrap_servers)
        printed = tools.consume(history.topic, partition=0, count=len(expected), isolation_level=isolation)
        assert [(record.offset, record.value.encode()) for record in printed] == expected
    finally:
        author.close()


@pytest.mark.kafka
@pytest.mark.parametrize("seed", SEEDS)
def test_the_log_on_disk_holds_what_was_written(kafka_cluster: Broker, seed: int) -> None:
    author = Author(kafka_cluster, seed)
    try:
        history = author.write()
        settle(kafka_cluster, history)
        (data,) = kafka_cluster.handle.data
        (segment,) = (data / f"{history.topic}-0").glob("*.log")
        dump = run_alone("org.apache.kafka.tools.DumpLogSegments", ["--print-data-log", "--files", str(segment)])
    finally:
        author.close()
    lines = dump.splitlines()
    payloads = [re.search(r"offset: (\d+) .* payload: (\d+)$", line) for line in lines]
    records = [(int(found[1]), found[2].encode()) for found in payloads if found]
    assert records == [(record.offset, record.value) for record in history.records]
    markers = [int(found[1]) for line in lines if (found := re.search(r"offset: (\d+) .* endTxnMarker:", line))]
    offsets = {record.offset for record in history.records}
    assert set(markers) == set(range(history.end)) - offsets
