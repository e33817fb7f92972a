"""Who reads several topics goes on with the others when one of them is deleted, as in kafka-python."""

from __future__ import annotations

import logging
import time
from types import ModuleType
from typing import Any

import kafkars
import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.testing import EmbeddedBroker

SECONDS = 30.0
SETTINGS: dict[str, Any] = {"auto_offset_reset": "earliest", "allow_auto_create_topics": False}


def subscribed(library: ModuleType, servers: str) -> Any:
    consumer = library.KafkaConsumer("gone", "stays", bootstrap_servers=servers, group_id="g", **SETTINGS)
    deadline = time.monotonic() + SECONDS
    while len(consumer.assignment()) < 2:
        assert time.monotonic() < deadline
        consumer.poll(100)
    return consumer


def assigned(library: ModuleType, servers: str) -> Any:
    consumer = library.KafkaConsumer(bootstrap_servers=servers, consumer_timeout_ms=300, **SETTINGS)
    consumer.assign([library.TopicPartition(topic, 0) for topic in ("gone", "stays")])
    consumer.poll(100)
    return consumer


@pytest.mark.parametrize("library", [version_2, version_3], ids=["2", "3"])
@pytest.mark.parametrize("made", [subscribed, assigned])
def test_the_others_are_read_on(library: ModuleType, made: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, logger="kafka.consumer.group")
    with (
        EmbeddedBroker(topics={"gone": 1, "stays": 1}, auto_create_topics=False) as broker,
        kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
        kafkars.Admin(bootstrap_servers=broker.bootstrap_servers) as admin,
    ):
        consumer = made(library, broker.bootstrap_servers)
        admin.delete_topics(["gone"])
        deadline = time.monotonic() + SECONDS
        # The first time within poll(), the second time in an iteration, where one can end.
        for count in (1, 2):
            while sum("UNKNOWN_TOPIC" in message for message in caplog.messages) < count:
                assert time.monotonic() < deadline, "nothing is said of the topic"
                if count == 1 or made is subscribed:
                    assert consumer.poll(300) == {}
                else:
                    assert list(consumer) == []
            producer.send("stays", b"value")
            producer.flush()
            found: list[Any] = []
            while not found:
                assert time.monotonic() < deadline, "the other topic is not read"
                found = [record.topic for records in consumer.poll(300).values() for record in records]
            assert found == ["stays"]
        consumer.close()
