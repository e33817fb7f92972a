"""The programs of examples/ do what they say, on the embedded broker."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import kafkars
import pytest

from tests.brokers import Broker
from tests.support.clients import read, values
from tests.support.waiting import SECONDS, eventually

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


def test_observability(embedded_broker: Broker) -> None:
    servers = embedded_broker.bootstrap_servers
    source, target = embedded_broker.new_topic(2), embedded_broker.new_topic(1)
    program = [sys.executable, str(EXAMPLES / "observability.py"), servers, source, target, "--port", "0"]
    program += ["--group", f"g-{source}", "--records", "10"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
        try:
            assert worker.stdout is not None
            served = re.fullmatch(r"serving (http://127\.0\.0\.1:\d+)/metrics\n", worker.stdout.readline())
            assert served is not None
            with kafkars.Producer(bootstrap_servers=servers) as producer:
                producer.send_many(source, [b"order %d" % number for number in range(9)])
                producer.flush(SECONDS)
                # The tenth comes when the figures have been looked at.
                figures = eventually(lambda: figures_with("invoices_total 9.0", served[1]), "nine invoices")
                with urllib.request.urlopen(f"{served[1]}/healthz", timeout=SECONDS) as answer:  # noqa: S310  loopback
                    assert json.load(answer) == {"state": "stable", "troubles": []}
                producer.send(source, b"the last order")
            _, errors = worker.communicate(timeout=SECONDS)
        finally:
            worker.kill()
    assert worker.returncode == 0, errors
    assert figures is not None
    assert 'kafkars_producer_records_sent_total{client_id="invoicing",client_type="producer"} 9.0' in figures
    spans = [json.loads(line) for line in errors.splitlines() if line.startswith('{"name"')]
    processed = {each["context"]["span_id"] for each in spans if each["name"].startswith("process")}
    sent = {each["parent_id"] for each in spans if each["name"].startswith("send")}
    assert len(processed) == 10
    assert sent == {each.removeprefix("0x") for each in processed} or sent == processed


def figures_with(line: str, server: str) -> str | None:
    with urllib.request.urlopen(f"{server}/metrics", timeout=SECONDS) as answer:  # noqa: S310  loopback
        text = str(answer.read().decode())
    return text if line in text else None
