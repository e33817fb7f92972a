"""Java's own measuring and verifying tools on ordinary topics of either broker, and what they say against what is
stored."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
from kafkars import Consumer, TopicPartition

from tests.brokers import Broker
from tests.support.java_shell import JavaShell
from tests.support.java_tools import run_alone

# They come with the jars of Kafka, so they run where Kafka does.
pytestmark = [pytest.mark.kafka, pytest.mark.timeout(240)]

TOOLS = "org.apache.kafka.tools."
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SECONDS = 30.0
PARTITIONS = 3
MEBIBYTE = 1 << 20


class Place(NamedTuple):
    partition: int
    offset: int


@pytest.fixture(scope="module")
def shell() -> Iterator[JavaShell]:
    with JavaShell() as started:
        yield started


class Tools:
    """The tools pointed at one broker."""

    def __init__(self, shell: JavaShell, broker: Broker) -> None:
        self._shell = shell
        self._broker = broker

    def run(self, tool: str, **given: object) -> str:
        """What a tool writes, with arguments like `num_records=5`; True stands for a switch."""
        return self._shell.run(TOOLS + tool, self._arguments(given))

    def events(self, tool: str, **given: object) -> list[dict[str, Any]]:
        """What a verifying tool writes: one JSON object a line. It tells the last ones when its JVM ends, so it has its
        own."""
        said = run_alone(TOOLS + tool, self._arguments(given))
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def _arguments(self, given: Mapping[str, object]) -> list[str]:
        arguments = ["--bootstrap-server", self._broker.bootstrap_servers]
        for name, value in given.items():
            arguments.append("--" + name.replace("_", "-"))
            arguments += [] if value is True else [str(value)]
        return arguments


@pytest.fixture
def tools(shell: JavaShell, broker: Broker) -> Tools:
    return Tools(shell, broker)


@pytest.fixture
def topic(broker: Broker) -> str:
    return broker.new_topic(PARTITIONS)


@pytest.mark.parametrize("codec", CODECS)
def test_the_perf_tests_write_and_read_as_many_records_as_they_say(
    broker: Broker, tools: Tools, topic: str, codec: str
) -> None:
    count, size = 20_000, 100
    said = tools.run(
        "ProducerPerformance",
        topic=topic,
        num_records=count,
        record_size=size,
        throughput=-1,
        command_property=f"compression.type={codec}",
    )
    assert re.search(rf"^{count} records sent, [\d.]+ records/sec", said, re.MULTILINE), said

    stored = read(broker, topic)
    assert len(stored) == count
    assert {len(record.value) for record in stored.values()} == {size}

    table = tools.run("ConsumerPerformance", topic=topic, num_records=count, group=new_group(), timeout=20_000)
    names, values = (line.split(", ") for line in table.strip().splitlines()[-2:])
    found = dict(zip(names, values, strict=True))
    assert int(found["data.consumed.in.nMsg"]) == count
    assert float(found["data.consumed.in.MB"]) == pytest.approx(count * size / MEBIBYTE, abs=1e-3)


def test_the_perf_test_writes_in_transactions(broker: Broker, tools: Tools, topic: str) -> None:
    count = 5_000
    tools.run(
        "ProducerPerformance",
        topic=topic,
        num_records=count,
        record_size=100,
        # Slow enough for several transactions.
        throughput=10_000,
        transactional_id=new_group(),
        transaction_duration_ms=100,
    )
    assert len(read(broker, topic, isolation_level="read_committed")) == count


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_what_the_verifiable_producer_was_told_is_what_the_verifiable_consumer_reads_and_commits(
    broker: Broker, tools: Tools, topic: str, protocol: str
) -> None:
    count, group = 1_000, new_group()
    events = tools.events("VerifiableProducer", topic=topic, max_messages=count, repeating_keys=7, value_prefix=5)
    acknowledged = {place(event): event["value"] for event in events if event["name"] == "producer_send_success"}
    assert sorted(acknowledged.values()) == sorted(f"5.{number}" for number in range(count))
    summary = one(events, "tool_data")
    assert (summary["sent"], summary["acked"]) == (count, count)
    assert {where: record.value.decode() for where, record in read(broker, topic).items()} == acknowledged

    events = tools.events(
        "VerifiableConsumer", topic=topic, group_id=group, group_protocol=protocol, max_messages=count, verbose=True
    )
    consumed = {place(event): event["value"] for event in events if event["name"] == "record_data"}
    assert consumed == acknowledged
    assert sum(event["count"] for event in events if event["name"] == "records_consumed") == count
    commits = [event for event in events if event["name"] == "offsets_committed"]
    assert all(event["success"] for event in commits)
    said = {each["partition"]: each["offset"] for event in commits for each in event["offsets"]}
    ends = {number: 1 + max(each.offset for each in consumed if each.partition == number) for number in said}
    assert said == ends

    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id=group) as consumer:
        committed = consumer.committed([TopicPartition(topic, number) for number in said], timeout=SECONDS)
    assert {of.partition: each.offset for of, each in committed.items() if each is not None} == said


def test_the_latency_test_reads_each_record_that_it_writes(broker: Broker, shell: JavaShell, topic: str) -> None:
    count = 200
    arguments = [broker.bootstrap_servers, topic, str(count), "all", "100"]
    said = shell.run(TOOLS + "EndToEndLatency", arguments)
    assert re.search(r"^Percentiles: 50th = \d+, 99th = \d+", said, re.MULTILINE), said
    assert len(read(broker, topic)) == count


def read(broker: Broker, topic: str, **settings: Any) -> dict[Place, Any]:
    """Everything in a topic, by a client that is not Java's."""
    found: dict[Place, Any] = {}
    where = [TopicPartition(topic, number) for number in range(PARTITIONS)]
    reading = {"auto_offset_reset": "earliest", "max_poll_records": 10_000, **settings}
    with Consumer(bootstrap_servers=broker.bootstrap_servers, **reading) as consumer:
        ends = consumer.end_offsets(where, timeout=SECONDS)
        consumer.assign(where)
        while any(consumer.position(of, timeout=SECONDS) < ends[of] for of in where):
            batch = consumer.poll_batch(timeout=SECONDS)
            assert batch, f"nothing came after {len(found)} records"
            found.update((Place(record.partition, record.offset), record) for record in batch)
    return found


def one(events: list[dict[str, Any]], name: str) -> Mapping[str, Any]:
    (found,) = (event for event in events if event["name"] == name)
    return found


def place(event: Mapping[str, Any]) -> Place:
    return Place(event["partition"], event["offset"])


def new_group() -> str:
    return f"tools-{uuid.uuid4()}"
