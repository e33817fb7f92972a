"""Idempotent producing: every record arrives once and in order, whatever happens to brokers and connections."""

from __future__ import annotations

import threading
import time

import pytest

from tests.chaos.cluster import ChaosCluster, faults
from tests.chaos.ledger import Ledger
from tests.chaos.readers import READERS

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(600)]

PARTITIONS = 4
KEYS = 40
RECORDS_PER_SECOND = 1_500
TICK = 0.02
# Longer than a leader can be away: no record has a reason to fail.
DELIVERY_TIMEOUT_MS = 90_000


def test_every_record_arrives_once_and_in_order(
    cluster: ChaosCluster, which: str, seed: int, pytestconfig: pytest.Config
) -> None:
    topic = cluster.new_topic("idempotent", PARTITIONS)
    ledger = Ledger(KEYS)
    seconds = pytestconfig.getoption("--chaos-seconds")
    with faults(cluster, topic, PARTITIONS, which, seed):
        stored = load(cluster.proxied, topic, ledger, seconds)
    cluster.heal()
    cluster.kafka.wait_in_sync(topic)
    for name, read in READERS.items():
        found = read(cluster.direct, topic, PARTITIONS)
        assert ledger.differences((record.key, record.value) for record in found) == [], name
        assert {(record.partition, record.offset): record.value for record in found} == stored, name


def load(bootstrap: str, topic: str, ledger: Ledger, seconds: float) -> dict[tuple[int, int], bytes]:
    """Sends at an even pace; answers where each record was said to be stored."""
    from kafkars import Producer

    tick = threading.Event()
    sent = []
    with Producer(
        bootstrap_servers=bootstrap, acks="all", enable_idempotence=True, delivery_timeout_ms=DELIVERY_TIMEOUT_MS
    ) as producer:
        started = time.monotonic()
        while (now := time.monotonic() - started) < seconds:
            while ledger.sent < now * RECORDS_PER_SECOND:
                key, value = ledger.next_record()
                sent.append((value, producer.send(topic, value, key=key)))
            tick.wait(TICK)
        left = producer.flush(DELIVERY_TIMEOUT_MS / 1000)
        assert left == 0, f"{left} records are still not delivered"
    stored = {}
    for value, delivery in sent:
        metadata = delivery.result(0)
        stored[metadata.partition, metadata.offset] = value
    return stored
