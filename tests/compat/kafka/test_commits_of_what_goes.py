"""Where partitions are assigned instead of others, what was read of those is committed, in the original and in the
face."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.kafka.members import ready
from tests.compat.kafka.steps import polled
from tests.support.waiting import eventually


@pytest.fixture(params=["kafka", "kafkars.compat.kafka"], ids=["original", "face"])
def library(request: pytest.FixtureRequest) -> ModuleType:
    """`kafka`, of either."""
    return importlib.import_module(request.param)


@pytest.mark.timeout(120)
def test_what_was_read_is_committed_when_others_are_assigned(broker: Broker, library: ModuleType) -> None:
    topic = broker.new_topic(2)
    producer = library.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
    for number in range(3):
        producer.send(topic, str(number).encode(), partition=0).get(timeout=20)
    producer.close()
    settings: dict[str, Any] = {
        "bootstrap_servers": broker.bootstrap_servers,
        "auto_offset_reset": "earliest",
        "group_id": f"going-{topic}",
    }
    gone, other = (library.TopicPartition(topic, number) for number in (0, 1))

    def reader() -> Any:
        consumer = library.KafkaConsumer(**settings)
        consumer.assign([gone])
        return consumer

    consumer = ready(library, reader, lambda consumer: len(polled(consumer, 3)) == 3)
    consumer.assign([other])

    def is_committed() -> bool:
        consumer.poll(10)
        return bool(consumer.committed(gone) == 3)

    eventually(is_committed, "a commit of what was read")
    consumer.close()
