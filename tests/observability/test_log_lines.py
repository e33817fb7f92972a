"""Log lines: all of them are in the guide, none is written for a record, and trouble is told once."""

from __future__ import annotations

import logging
import re
import time
from functools import cache
from pathlib import Path

import kafkars
import pytest
from kafkars import _kafkars, _logging
from kafkars.testing import EmbeddedBroker

from tests.observability.log_texts import LogText, of_python, of_rust, without_client
from tests.support.clients import Clients, read
from tests.support.waiting import SECONDS, eventually

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "logging.md"
ROW = re.compile(r"^\| (\w+) \| (.+?) \| .+ \|$", re.MULTILINE)
WRITTEN_BY_HAND = LogText("kafkars.producer", "ERROR", "interceptor … failed; the record goes on")


def hear(caplog: pytest.LogCaptureFixture, level: int) -> None:
    """Sets the level, and does not wait until that is noticed."""
    caplog.set_level(level, "kafkars")
    _kafkars.set_log_level(_logging._level())


def rows_of_page() -> set[LogText]:
    sections = PAGE.read_text().split("\n### ")[1:]
    return {
        LogText(section.splitlines()[0], level, text)
        for section in sections
        for level, text in ROW.findall(section)
        if level != "level"
    }


@cache
def written() -> frozenset[LogText]:
    return frozenset((*of_rust(), *of_python()))


def test_the_guide_has_every_line() -> None:
    of_clients = {line for line in written() if line.logger != "kafkars.broker"}
    assert len(of_clients) > 40
    assert rows_of_page() == of_clients | {WRITTEN_BY_HAND}
    assert "### kafkars.broker" in PAGE.read_text()


def test_lines_have_no_inner_words() -> None:
    inner = re.compile(r"\b(lane|sink|cursor|driver|desk|inbox|fetcher|permit|verdict|news)s?\b", re.IGNORECASE)
    assert not [line for line in written() if inner.search(line.text)]


def test_no_line_is_written_for_a_record(clients: Clients, topic: str, caplog: pytest.LogCaptureFixture) -> None:
    hear(caplog, logging.DEBUG)
    producer, consumer = clients.producer(), clients.consumer([(topic, 0)])
    producer.send(topic, b"first", partition=0).result(SECONDS)
    read(consumer, 1)
    for _ in range(100):
        producer.send(topic, b"value", partition=0).result(SECONDS)
        assert consumer.poll(SECONDS) is not None
    for _ in range(900):
        producer.send(topic, b"value", partition=0)
    producer.flush(SECONDS)
    read(consumer, 900)
    _logging.drain()
    # Connections, metadata, positions: as many for a million records.
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("kafkars.")]
    assert 0 < len(lines) < 50, lines


def test_connection_trouble_is_a_line_when_it_begins_and_one_when_it_ends(caplog: pytest.LogCaptureFixture) -> None:
    hear(caplog, logging.WARNING)
    with EmbeddedBroker(topics={"t": 1}) as broker:
        (node,) = broker.nodes
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers, reconnect_backoff_ms=10) as producer:
            producer.send("t", b"before").result(SECONDS)
            for _ in range(2):
                failed = producer.metrics()["client"]["connections_failed"]
                broker.stop_node(node)
                waiting = producer.send("t", b"meanwhile")
                eventually(
                    lambda before=failed: producer.metrics()["client"]["connections_failed"] >= before + 5,  # type: ignore[misc]
                    "some attempts have failed",
                )
                broker.start_node(node)
                waiting.result(SECONDS)
                eventually(lambda: lines("can be reached again", caplog), "the end is told")
                eventually(
                    lambda: len(lines("brokers tell again", caplog)) == len(lines("no broker tells", caplog)),
                    "both ends",
                )
        told = [record.getMessage() for record in caplog.records if record.name.startswith("kafkars.")]
    began, ended = lines("cannot connect; goes on", caplog), lines("can be reached again", caplog)
    assert (len(began), len(ended)) == (2, 2), told
    assert broker_of(began[0]) in began[0]
    # Of metadata likewise, and nothing else.
    assert len(lines("no broker tells where topics are; goes on", caplog)) <= 2
    known = "cannot connect; goes on|the broker can be reached again|no broker tells|brokers tell again"
    others = [line for line in told if not re.match(known, line)]
    assert len(others) <= 2, others


def test_lines_say_which_client_has_trouble(caplog: pytest.LogCaptureFixture) -> None:
    hear(caplog, logging.WARNING)
    with EmbeddedBroker() as broker:
        servers = broker.bootstrap_servers
    with (
        kafkars.Producer(bootstrap_servers=servers) as producer,
        kafkars.Consumer(bootstrap_servers=servers, client_id="reader") as consumer,
    ):
        for client in (producer, consumer):
            with pytest.raises(kafkars.errors.KafkaError):
                client.partitions_for("t", timeout=0.2)
    told = [record for record in caplog.records if "cannot connect" in record.getMessage()]
    names = [str(vars(record)["client"]) for record in told]
    assert re.fullmatch(r"kafkars#\d+ reader#\d+", " ".join(sorted(names))), names
    assert all(f"client={name}" in record.getMessage() for name, record in zip(names, told, strict=True))


def test_lines_name_the_client_they_are_about() -> None:
    # Loggers of clients get no others.
    assert set(without_client()) == {
        # A thread that outlives its client.
        "a function that gives credentials cannot be told to end",
        # A future that nobody has.
        "a step of a transaction that nobody awaits failed",
    }


def broker_of(line: str) -> str:
    found = re.search(r"broker=([\d.]+:\d+)", line)
    assert found is not None, line
    return found.group(0)


def lines(text: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    _logging.drain()
    return [record.getMessage() for record in caplog.records if text in record.getMessage()]


def test_a_healthy_client_says_nothing(clients: Clients, topic: str, caplog: pytest.LogCaptureFixture) -> None:
    hear(caplog, logging.WARNING)
    producer, consumer = clients.producer(), clients.consumer(group_id=f"g-{topic}")
    consumer.subscribe([topic])
    producer.send(topic, b"value").result(SECONDS)
    assert eventually(lambda: consumer.poll(1.0), "a record")
    consumer.close()
    producer.close()
    started = time.time()
    _logging.drain()
    assert not [record for record in caplog.records if record.name.startswith("kafkars") and record.created <= started]
