"""Time limits that are over before the call begins: nothing is waited for, and what is there is given."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from kafkars.compat import kafka, kafka_3
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.waiting import SECONDS


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
        broker.slow_down(latency=4.0)
        waiting = producer.send("t", b"v")
        with pytest.raises(errors.KafkaTimeoutError):
            waiting.get(-1)
        with pytest.raises(errors.KafkaTimeoutError):
            producer.flush(-1)
        broker.slow_down()
        assert waiting.get(20).offset == 1
        producer.close()


@pytest.mark.parametrize(("module", "kind"), [(kafka, AssertionError), (kafka_3, ValueError)])
@pytest.mark.parametrize("seconds", [-1, -0.5, float("nan")])
def test_a_time_for_closing_that_is_none(
    embedded_broker: Broker, module: Any, kind: type[Exception], seconds: float
) -> None:
    producer = module.KafkaProducer(bootstrap_servers=embedded_broker.bootstrap_servers)
    for _ in range(2):
        with pytest.raises(kind):
            producer.close(seconds)
    # It is not closed by that.
    producer.send(embedded_broker.new_topic(), b"value").get(SECONDS)
    producer.close()


@pytest.mark.parametrize("module", [kafka, kafka_3])
def test_a_consumer_that_is_closed_within_less_than_no_time(embedded_broker: Broker, module: Any) -> None:
    consumer = module.KafkaConsumer(bootstrap_servers=embedded_broker.bootstrap_servers)
    consumer.close(timeout_ms=-1)
    consumer.close(timeout_ms=-1)
