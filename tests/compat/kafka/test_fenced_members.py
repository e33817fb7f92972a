"""A member whose `group_instance_id` another one has taken, as kafka-python 3.0.12 tells of it on Kafka 4.3.1. 2.3.3
raises once, and then finds nothing for ever."""

from __future__ import annotations

import time
from typing import Any

import pytest
from kafkars.compat import kafka, kafka_3
from kafkars.compat.kafka.errors import FencedInstanceIdError

from tests.brokers import Broker
from tests.support.waiting import SECONDS


def joined(consumer: Any) -> Any:
    deadline = time.monotonic() + SECONDS
    while not consumer.assignment():
        assert time.monotonic() < deadline
        consumer.poll(100)
    return consumer


def polled(consumer: Any) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        consumer.poll(100)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("module", [kafka, kafka_3])
def test_what_the_older_one_is_told(broker: Broker, module: Any) -> None:
    topic = broker.new_topic()
    settings = {
        "bootstrap_servers": broker.bootstrap_servers,
        "group_id": f"fenced-{topic}",
        "group_instance_id": "one",
        "heartbeat_interval_ms": 200,
        "session_timeout_ms": 30_000,
    }
    older = joined(module.KafkaConsumer(topic, **settings))
    younger = joined(module.KafkaConsumer(topic, **settings))
    with pytest.raises(FencedInstanceIdError):
        polled(older)
    place, offset = module.TopicPartition(topic, 0), module.OffsetAndMetadata(0, "", -1)
    with pytest.raises(FencedInstanceIdError):
        older.commit({place: offset})
    with pytest.raises(FencedInstanceIdError):
        older.commit()
    for _ in range(2):
        with pytest.raises(FencedInstanceIdError):
            older.poll(10)
    # A new life.
    older.unsubscribe()
    older.assign([place])
    assert older.poll(10) == {}
    older.close(autocommit=False)
    younger.close()
