"""Time limits that are over before the call begins: nothing is waited for, and what is there is given."""

from __future__ import annotations

import importlib

import pytest
from kafkars.testing import EmbeddedBroker


@pytest.mark.parametrize("library", ["kafka", "kafkars.compat.kafka", "kafkars.compat.kafka_3"])
def test_limits_below_zero_are_over(library: str) -> None:
    face = importlib.import_module(library)
    errors = importlib.import_module("kafka.errors" if library == "kafka" else "kafkars.compat.kafka.errors")
    with EmbeddedBroker(topics={"t": 1}) as broker:
        producer = face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
        stored = producer.send("t", b"v")
        producer.flush(20)
        assert stored.get(-0.001).offset == 0
        producer.flush(-0.001)
        broker.slow_down(latency=1.0)
        waiting = producer.send("t", b"v")
        with pytest.raises(errors.KafkaTimeoutError):
            waiting.get(-1)
        with pytest.raises(errors.KafkaTimeoutError):
            producer.flush(-1)
        broker.slow_down()
        assert waiting.get(20).offset == 1
        producer.close()
