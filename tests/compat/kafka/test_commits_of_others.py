"""A member may commit partitions that it does not have, in the originals and in the faces: Kafka takes it."""

from __future__ import annotations

import importlib
import time
from types import ModuleType
from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.kafka.members import ready


@pytest.fixture(params=["kafka", "kafkars.compat.kafka", "kafkars.compat.kafka_3"], ids=["original 3", "2", "3"])
def library(request: pytest.FixtureRequest) -> ModuleType:
    """`kafka`, of each."""
    return importlib.import_module(request.param)


def joined(library: ModuleType, broker: Broker, topic: str) -> Any:
    """A member with its partition."""
    settings = {"bootstrap_servers": broker.bootstrap_servers, "group_id": topic, "enable_auto_commit": False}

    def has_its_partition(consumer: Any) -> bool:
        consumer.poll(200)
        return bool(consumer.assignment())

    return ready(library, lambda: library.KafkaConsumer(topic, **settings), has_its_partition)


@pytest.mark.timeout(120)
def test_offsets_of_another_topic_are_committed(broker: Broker, library: ModuleType) -> None:
    topic, other = broker.new_topic(1), broker.new_topic(1)
    mine, foreign = library.TopicPartition(topic, 0), library.TopicPartition(other, 0)
    consumer = joined(library, broker, topic)
    deadline = time.monotonic() + 30
    consumer.commit({foreign: library.OffsetAndMetadata(3, "", -1), mine: library.OffsetAndMetadata(0, "", -1)})
    assert consumer.committed(foreign) == 3
    committed = consumer.committed(mine)
    while committed is None and library.__name__ == "kafka":
        # kafka-python itself says so at times, of Apache Kafka as well, and knows better a moment later.
        assert time.monotonic() < deadline
        consumer.poll(50)
        committed = consumer.committed(mine)
    assert committed == 0
    told: list[Any] = []
    consumer.commit_async(
        {foreign: library.OffsetAndMetadata(5, "", -1)}, callback=lambda _offsets, error: told.append(error)
    )
    while not told:
        assert time.monotonic() < deadline
        consumer.poll(50)
    assert not isinstance(told[0], Exception)
    assert consumer.committed(foreign) == 5
    consumer.close()
