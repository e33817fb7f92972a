"""A leader dies: clients go on as soon as the cluster has another one, however long their pauses between connections
are."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.testing import EmbeddedCluster

from tests.brokers import Broker
from tests.support.clients import Clients, read, values
from tests.support.waiting import SECONDS, Stopwatch, eventually

# Far longer than a test waits, and from the first one on: no chance decides how long the next one is.
PATIENT = {"reconnect_backoff_ms": 60_000, "reconnect_backoff_max_ms": 60_000}
SECONDS_DEAD = 2.0
# Pauses between requests for metadata are at most 240 ms by then; the rest is for a machine that is busy.
SECONDS_TO_NOTICE = 10.0
# A node that metadata says leads is tried every `retry_backoff_max_ms`, which is a second; likewise.
SECONDS_TO_COME_BACK = 10.0


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    """Three nodes of this test alone."""
    with EmbeddedCluster(topics={"orders": 1}) as started:
        yield started


@pytest.fixture
def clients(cluster: EmbeddedCluster, client_api: Any) -> Iterator[Clients]:
    """Clients of one flavour."""
    made = Clients(Broker("embedded", cluster), client_api)
    yield made
    made.close()


def try_for_long() -> None:
    """Lets clients find out that the leader is dead, and wait for what comes next."""
    begun = time.monotonic()
    eventually(lambda: time.monotonic() - begun >= SECONDS_DEAD, "the pauses to grow")


def test_a_new_leader_is_written_to_as_soon_as_there_is_one(cluster: EmbeddedCluster, clients: Clients) -> None:
    producer = clients.producer(**PATIENT)
    producer.send("orders", b"before").result(SECONDS)
    leader = cluster.leader("orders", 0)
    cluster.kill_node(leader)
    waiting = producer.send("orders", b"meanwhile")
    try_for_long()
    cluster.fence_node(leader)
    fenced_at = time.monotonic()
    waiting.result(SECONDS)
    assert time.monotonic() - fenced_at < SECONDS_TO_NOTICE


def test_a_new_leader_is_read_from_as_soon_as_there_is_one(cluster: EmbeddedCluster, clients: Clients) -> None:
    writer = clients.producer()
    consumer = clients.consumer([("orders", 0)], **PATIENT)
    writer.send("orders", b"before").result(SECONDS)
    assert values(read(consumer, 1)) == [b"before"]
    leader = cluster.leader("orders", 0)
    cluster.kill_node(leader)
    try_for_long()
    cluster.fence_node(leader)
    fenced_at = time.monotonic()
    writer.send("orders", b"after").result(SECONDS)
    assert values(read(consumer, 1)) == [b"after"]
    assert time.monotonic() - fenced_at < SECONDS_TO_NOTICE


def test_a_leader_that_comes_back_is_used_at_once(cluster: EmbeddedCluster, clients: Clients) -> None:
    """Nobody else was elected meanwhile, so only the pause between connections could hold it up."""
    producer = clients.producer(**PATIENT)
    producer.send("orders", b"before").result(SECONDS)
    leader = cluster.leader("orders", 0)
    cluster.kill_node(leader)
    waiting = producer.send("orders", b"meanwhile")
    try_for_long()
    cluster.start_node(leader)
    back_at = time.monotonic()
    waiting.result(SECONDS)
    assert time.monotonic() - back_at < SECONDS_TO_COME_BACK


def test_metadata_is_asked_for_at_a_pace_while_a_leader_is_away(cluster: EmbeddedCluster, clients: Clients) -> None:
    def asked() -> int:
        return len(cluster.requests("Metadata", client_id="asks"))

    producer = clients.producer(client_id="asks", **PATIENT)
    producer.send("orders", b"before").result(SECONDS)
    leader = cluster.leader("orders", 0)
    cluster.kill_node(leader)
    producer.send("orders", b"meanwhile")
    try_for_long()
    with Stopwatch() as watch:
        cluster.forget_requests()
        try_for_long()
        eventually(lambda: asked() >= SECONDS_DEAD, "it asks again")
        count = asked()
    assert count <= watch.seconds * 15, f"{count} requests in {watch.seconds} s"
    cluster.fence_node(leader)
    producer.flush(SECONDS)


def test_an_outage_is_two_lines_of_the_log(
    cluster: EmbeddedCluster, clients: Clients, caplog: pytest.LogCaptureFixture
) -> None:
    producer = clients.producer()
    producer.send("orders", b"before").result(SECONDS)
    leader = cluster.leader("orders", 0)
    with caplog.at_level(logging.WARNING, "kafkars"):
        cluster.kill_node(leader)
        waiting = producer.send("orders", b"meanwhile")
        try_for_long()
        cluster.start_node(leader)
        waiting.result(SECONDS)
        eventually(lambda: any("again" in record.message for record in caplog.records), "the line that says so")
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("kafkars")]
    assert len(lines) == 2, lines
    assert "cannot connect" in lines[0]
    assert "the broker can be reached again" in lines[1]
    assert not any("lane" in line or "TLS" in line for line in lines)
