"""Settings that nothing else shows the effect of: buffers of sockets, idle connections, windows of metrics."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat import kafka, kafka_3
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

FACES = pytest.mark.parametrize("face", [kafka, kafka_3], ids=["2", "3"])
RECEIVE, SEND = 70_000, 50_000


@pytest.fixture
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"topic": 1}) as broker:
        yield broker


def connections(broker: EmbeddedBroker) -> list[socket.socket]:
    """Copies of this process's sockets that are connected to the broker."""
    ports = {int(address.rpartition(":")[2]) for address in broker.bootstrap_servers.split(",")}
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        number = int(entry.name)
        try:
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            copy = socket.fromfd(number, socket.AF_INET, socket.SOCK_STREAM)
        except OSError:
            # Closed meanwhile.
            continue
        try:
            is_one = copy.getpeername()[1] in ports
        except (OSError, IndexError):
            is_one = False
        if is_one:
            found.append(copy)
        else:
            copy.close()
    return found


def sizes(broker: EmbeddedBroker) -> set[tuple[int, int]]:
    """The sizes of the buffers of these."""
    found = set()
    for each in connections(broker):
        found.add(tuple(each.getsockopt(socket.SOL_SOCKET, of) for of in (socket.SO_RCVBUF, socket.SO_SNDBUF)))
        each.close()
    return found  # type: ignore[return-value]


def count(broker: EmbeddedBroker) -> int:
    found = connections(broker)
    for each in found:
        each.close()
    return len(found)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no list of this process's sockets")
@FACES
@pytest.mark.parametrize("client", ["KafkaProducer", "KafkaConsumer", "KafkaAdminClient"])
def test_sockets_have_the_buffers_that_were_asked_for(broker: EmbeddedBroker, face: Any, client: str) -> None:
    settings = {"receive_buffer_bytes": RECEIVE, "send_buffer_bytes": SEND}
    made = getattr(face, client)(bootstrap_servers=broker.bootstrap_servers, **settings)
    try:
        if client == "KafkaProducer":
            # It connects when there is something to ask.
            assert made.partitions_for("topic") == {0}
        # Linux gives twice as much, for what it keeps beside the bytes.
        assert sizes(broker) == {(2 * RECEIVE, 2 * SEND)}
    finally:
        made.close()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no list of this process's sockets")
@FACES
@pytest.mark.timeout(120)
def test_connections_that_nothing_uses_are_closed_and_made_again(broker: EmbeddedBroker, face: Any) -> None:
    producer = face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers, connections_max_idle_ms=4_000)
    try:
        for number in range(2):
            assert producer.send("topic", b"value").get(SECONDS).offset == number
            assert count(broker)
            eventually(lambda: not count(broker), "the connection is closed")
    finally:
        producer.close()


@FACES
def test_rates_are_of_as_many_windows_as_were_asked_for(broker: EmbeddedBroker, face: Any) -> None:
    def made(windows: int) -> Any:
        producer = face.KafkaProducer(
            bootstrap_servers=broker.bootstrap_servers, metrics_num_samples=windows, metrics_sample_window_ms=200
        )
        producer.send("topic", b"value").get(SECONDS)
        return producer

    def rate(producer: Any) -> float:
        found: float = producer.metrics()["producer-metrics"]["record-send-rate"]
        return found

    few, many = made(2), made(1_000)
    try:
        eventually(lambda: rate(few) == 0, "the windows are over")
        assert rate(many) > 0
    finally:
        few.close()
        many.close()
