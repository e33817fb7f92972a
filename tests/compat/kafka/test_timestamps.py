"""kafka-python takes any number for a timestamp in ms."""

from __future__ import annotations

import pytest
from kafkars.compat.kafka import KafkaProducer

from tests.brokers import Broker


@pytest.mark.parametrize("timestamp_ms", [0, 1_000_000_000, 1_795_343_400, 9_999_999_999, 1_795_343_400_123])
def test_seconds_are_taken_for_ms(embedded_broker: Broker, timestamp_ms: int) -> None:
    producer = KafkaProducer(bootstrap_servers=embedded_broker.bootstrap_servers)
    try:
        sent = producer.send("timestamps", b"value", timestamp_ms=timestamp_ms).get(timeout=20)
        assert sent.timestamp == timestamp_ms
    finally:
        producer.close()
