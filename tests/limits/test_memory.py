"""A million records pass through a client, and its memory stays within its limits."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.limits import programs

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc"),
]

RECORDS = 1_000_000
MEGABYTE = 1_000_000
CONSUMER_LIMIT = 100 * MEGABYTE
PRODUCER_LIMIT = programs.BUFFER_MEMORY + 60 * MEGABYTE


@pytest.fixture(scope="module", params=["embedded", pytest.param("kafka", marks=pytest.mark.kafka)])
def roomy(request: pytest.FixtureRequest) -> Iterator[Broker]:
    """A broker for millions of records; the embedded one is not that of all tests, which would keep them in memory."""
    if request.param == "kafka":
        yield request.getfixturevalue("kafka_cluster")
        return
    with EmbeddedBroker() as started:
        yield Broker("embedded", started)


@pytest.fixture(scope="module")
def full_topic(roomy: Broker) -> str:
    """A partition with a million records of 100 bytes."""
    topic = roomy.new_topic()
    with Producer(bootstrap_servers=roomy.bootstrap_servers) as producer:
        for _ in range(RECORDS):
            producer.send(topic, programs.VALUE)
    return topic


@pytest.mark.parametrize("program", ["consume_batches", "consume_one_by_one", "consume_asyncio"])
def test_a_consumer_drains_a_million_records_within_100_mb(roomy: Broker, full_topic: str, program: str) -> None:
    assert peak_memory(program, roomy, full_topic) < CONSUMER_LIMIT


@pytest.mark.parametrize("program", ["produce", "produce_asyncio"])
def test_a_producer_pushes_a_million_records_within_its_buffer_and_60_mb(roomy: Broker, program: str) -> None:
    topic = roomy.new_topic()
    assert peak_memory(program, roomy, topic) < PRODUCER_LIMIT


def test_an_answer_of_a_few_bytes_does_not_unpack_all_at_once(roomy: Broker) -> None:
    topic = roomy.new_topic()
    size, count = 40 * MEGABYTE, 8
    value = bytes(size)
    with Producer(
        bootstrap_servers=roomy.bootstrap_servers,
        compression_type="zstd",
        max_request_size=2 * size,
        buffer_memory=4 * size,
    ) as producer:
        for _ in range(count):
            # One batch each.
            producer.send(topic, value).result(60)
    # The batch in hand, the one that waits, the one being unpacked; all at once would be eight.
    peak = peak_memory("consume_large_batches", roomy, topic, count)
    assert peak < 3 * size + 60 * MEGABYTE, peak


def peak_memory(program: str, broker: Broker, topic: str, count: int = RECORDS) -> int:
    """Runs a program and answers the most memory it held."""
    command = [sys.executable, programs.__file__, program, broker.bootstrap_servers, topic, str(count)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=150)
    assert ran.returncode == 0, ran.stderr
    return int(ran.stdout.split()[-1])
