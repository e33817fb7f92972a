"""The programs of examples/ do what they say, on the embedded broker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import kafkars
import pytest

from tests.brokers import Broker
from tests.support.clients import read, values

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_consume_transform_produce(embedded_broker: Broker) -> None:
    servers = embedded_broker.bootstrap_servers
    source, target = embedded_broker.new_topic(2), embedded_broker.new_topic(1)
    with kafkars.Producer(bootstrap_servers=servers) as producer:
        for number in range(20):
            producer.send(source, f"word {number}".encode(), partition=number % 2)
    program = [sys.executable, str(EXAMPLES / "consume_transform_produce.py"), servers, source, target]
    for records in (20, 5):
        if records == 5:
            with kafkars.Producer(bootstrap_servers=servers) as producer:
                for number in range(20, 25):
                    producer.send(source, f"word {number}".encode(), partition=0)
        subprocess.run([*program, "--records", str(records), "--group", f"g-{source}"], check=True, timeout=60)
    with kafkars.Consumer(
        bootstrap_servers=servers, auto_offset_reset="earliest", isolation_level="read_committed"
    ) as reader:
        reader.assign([(target, 0)])
        assert sorted(values(read(reader, 25))) == sorted(f"WORD {number}".encode() for number in range(25))
        assert not reader.poll_batch(timeout=0.2)


def test_transactions(embedded_broker: Broker) -> None:
    servers, topic = embedded_broker.bootstrap_servers, embedded_broker.new_topic(1)
    program = [
        sys.executable,
        str(EXAMPLES / "transactions.py"),
        servers,
        topic,
        "--id",
        f"t-{topic}",
        "--transfers",
        "5",
    ]
    done = subprocess.run(program, check=True, timeout=60, capture_output=True, text=True)
    assert done.stdout == "5 transfers\n"
    with kafkars.Consumer(
        bootstrap_servers=servers, auto_offset_reset="earliest", isolation_level="read_committed"
    ) as reader:
        reader.assign([(topic, 0)])
        amounts = [int(record.value or b"0") for record in read(reader, 10)]
    assert all(amounts)
    assert sum(amounts) == 0


@pytest.mark.timeout(120)
def test_tests_with_asyncio_and_in_several_processes() -> None:
    # No cache is left behind, and the configuration is the project's own.
    program = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2"]
    ran = subprocess.run(program, check=False, timeout=100, capture_output=True, text=True, cwd=EXAMPLES / "testing")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "7 passed" in ran.stdout
