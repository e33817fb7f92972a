"""Idempotent producing: every record arrives once and in order, whatever happens to brokers and connections."""

from __future__ import annotations

import pytest

from tests.chaos.cluster import ChaosCluster, kills_and_cuts
from tests.chaos.ledger import Ledger
from tests.chaos.load import load
from tests.chaos.readers import READERS
from tests.chaos.scale import Scale

pytestmark = [pytest.mark.kafka, pytest.mark.chaos, pytest.mark.timeout(600)]

PARTITIONS = 4
KEYS = 40
RECORDS_PER_SECOND = 1_500


def test_every_record_arrives_once_and_in_order(cluster: ChaosCluster, scale: Scale, seed: int) -> None:
    topic = cluster.new_topic("idempotent", PARTITIONS)
    ledger = Ledger(KEYS)
    with kills_and_cuts(cluster, topic, PARTITIONS, seed):
        stored = load(cluster.proxied, topic, ledger, seconds=scale.load_seconds, rate=RECORDS_PER_SECOND)
    cluster.heal()
    cluster.kafka.wait_in_sync(topic)
    for name, read in READERS.items():
        found = read(cluster.direct, topic, PARTITIONS)
        assert ledger.differences((record.key, record.value) for record in found) == [], name
        assert {(record.partition, record.offset): record.value for record in found} == stored, name
