"""A leader dies: both go on as soon as there is another one, however long their pauses between connections are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from kafkars.testing import EmbeddedCluster

from tests.support.waiting import SECONDS

# Far longer than the test waits, and from the first pause on.
PATIENT = {"reconnect.backoff.ms": 60_000, "reconnect.backoff.max.ms": 60_000}
# The pauses of a program that sets nothing.
USUAL: dict[str, Any] = {}
# The library asks for metadata when a request has failed, and then every `retry.backoff.ms`; the rest is for a machine
# that is busy.
SECONDS_TO_NOTICE = 10.0


@pytest.fixture
def cluster() -> Iterator[EmbeddedCluster]:
    """Three nodes of this test alone."""
    with EmbeddedCluster(topics={"orders": 1}) as started:
        yield started


def settings(cluster: EmbeddedCluster, **more: Any) -> dict[str, Any]:
    return {"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0, "linger.ms": 0, **more}


def elect_another(cluster: EmbeddedCluster) -> float:
    """Ends the leader, and has the cluster notice; returns when."""
    leader = cluster.leader("orders", 0)
    cluster.kill_node(leader)
    cluster.fence_node(leader)
    return time.monotonic()


@pytest.mark.parametrize("pauses", [PATIENT, USUAL], ids=["patient", "usual"])
def test_a_new_leader_is_written_to(ck: ModuleType, cluster: EmbeddedCluster, pauses: dict[str, Any]) -> None:
    errors: list[Any] = []
    producer = ck.Producer(settings(cluster, **pauses))
    producer.produce("orders", b"before")
    assert producer.flush(SECONDS) == 0
    elected_at = elect_another(cluster)
    producer.produce("orders", b"after", on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(SECONDS) == 0
    assert time.monotonic() - elected_at < SECONDS_TO_NOTICE
    assert errors == [None]
    producer.close()


@pytest.mark.parametrize("pauses", [PATIENT, USUAL], ids=["patient", "usual"])
def test_a_new_leader_is_read_from(ck: ModuleType, cluster: EmbeddedCluster, pauses: dict[str, Any]) -> None:
    writer = ck.Producer(settings(cluster))
    writer.produce("orders", b"before")
    assert writer.flush(SECONDS) == 0
    reading = {"group.id": "readers", "auto.offset.reset": "earliest", **pauses}
    consumer = ck.Consumer({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0, **reading})
    consumer.assign([ck.TopicPartition("orders", 0, 0)])
    assert value(consumer) == b"before"
    elected_at = elect_another(cluster)
    writer.produce("orders", b"after")
    assert writer.flush(SECONDS) == 0
    assert value(consumer) == b"after"
    assert time.monotonic() - elected_at < SECONDS_TO_NOTICE
    consumer.close()
    writer.close()


def value(consumer: Any) -> bytes:
    """The next message's value."""
    limit = time.monotonic() + SECONDS
    while time.monotonic() < limit:
        message = consumer.poll(1.0)
        if message is not None and message.error() is None:
            return bytes(message.value())
    raise AssertionError("no message came")
