"""What the face does and kafka-python does not: who commits and closes at once hears what came of it."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.compat import kafka

from tests.brokers import Broker
from tests.compat.kafka.steps import polled


@pytest.mark.parametrize("is_member", [False, True], ids=["by assignment", "in a group"])
def test_commits_made_just_before_the_end_are_made_and_told(broker: Broker, is_member: bool) -> None:
    topic = broker.new_topic()
    producer = kafka.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
    producer.send(topic, b"one").get(timeout=20)
    producer.close()
    place = kafka.TopicPartition(topic, 0)
    settings: dict[str, Any] = {
        "bootstrap_servers": broker.bootstrap_servers,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "group_id": f"last-{topic}",
    }
    consumer = kafka.KafkaConsumer(**settings)
    if is_member:
        consumer.subscribe([topic])
    else:
        consumer.assign([place])
    assert len(polled(consumer, 1)) == 1
    told: list[Any] = []
    futures = [
        consumer.commit_async(
            {place: kafka.OffsetAndMetadata(offset, "", -1)},
            callback=lambda offsets, answer: told.append((offsets[place].offset, answer)),
        )
        for offset in (1, 2)
    ]
    consumer.close(autocommit=False)
    assert told == [(1, None), (2, None)]
    assert [future.succeeded() for future in futures] == [True, True]
    asking = kafka.KafkaConsumer(**settings)
    assert asking.committed(place) == 2
    asking.close()
