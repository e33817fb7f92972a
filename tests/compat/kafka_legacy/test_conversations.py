"""Calls on a cluster tell what kafka-python 0.9.5 told on Kafka 2.8.2, as `record_conversations.py` wrote it down."""

from __future__ import annotations

import json

import pytest

from tests.brokers import Broker
from tests.compat.kafka_legacy import conversations
from tests.compat.kafka_legacy.record_conversations import FILE
from tests.compat.kafka_legacy.talk import PARTITIONS, hold

RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


def test_each_was_recorded() -> None:
    assert RECORDED.keys() == conversations.CONVERSATIONS.keys()


@pytest.mark.filterwarnings("ignore:KeyedProducer.send is deprecated")
@pytest.mark.parametrize("name", conversations.CONVERSATIONS)
def test_the_face_tells_the_same(broker: Broker, name: str) -> None:
    topic = broker.new_topic(partitions=PARTITIONS)
    held = conversations.CONVERSATIONS[name]
    found = json.loads(json.dumps(hold(held, conversations.face, broker.bootstrap_servers, topic)))
    reasons = conversations.REASONS.get(name, {})
    assert all(found[place] != RECORDED[name][place] for place in reasons)
    assert [each for place, each in enumerate(found) if place not in reasons] == [
        each for place, each in enumerate(RECORDED[name]) if place not in reasons
    ]
