"""A call with a message that its topic does not take stores nothing, whatever else the call has; what fits is sent."""

from __future__ import annotations

import random
from typing import Any

import pytest
from kafkars import Admin
from kafkars.compat.kafka_legacy import KafkaClient, KeyedProducer, SimpleProducer, create_message
from kafkars.compat.kafka_legacy._sizes import batch_size
from kafkars.compat.kafka_legacy.common import FetchRequest, MessageSizeTooLargeError
from kafkars.compat.kafka_legacy.protocol import CODEC_GZIP, CODEC_SNAPPY
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker

LIMIT = 1000
SETTINGS = {"max.message.bytes": str(LIMIT)}
LARGE = random.Random(17).randbytes(3 * LIMIT)
KEY = b"key"
UNCERTAIN = 32
"""Two libraries for gzip differ by some bytes."""


def sizes(client: KafkaClient, topic: str) -> list[int]:
    (answer,) = client.send_fetch_request([FetchRequest(topic.encode(), 0, 0, 1 << 20)], min_bytes=0)
    return [len(each.message.value) for each in answer.messages]


@pytest.mark.parametrize("codec", [None, CODEC_GZIP, CODEC_SNAPPY])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_nothing_of_the_call_is_stored(broker: Broker, client: KafkaClient, codec: int | None, place: int) -> None:
    topic = broker.new_topic(settings=SETTINGS)
    values = [b"a", b"b"]
    values.insert(place, LARGE)
    with pytest.raises(MessageSizeTooLargeError):
        SimpleProducer(client, codec=codec).send_messages(topic, *values)
    with pytest.raises(MessageSizeTooLargeError):
        KeyedProducer(client, codec=codec).send_messages(topic, KEY, *values)
    (answer,) = SimpleProducer(client, codec=codec, sync_fail_on_error=False).send_messages(topic, *values)
    assert answer.error == MessageSizeTooLargeError.errno
    assert sizes(client, topic) == []
    # A retry without it doubles nothing.
    SimpleProducer(client, codec=codec).send_messages(topic, *[each for each in values if each != LARGE])
    assert sizes(client, topic) == [1, 1]


def test_messages_that_are_too_large_only_together_are_stored(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic(settings=SETTINGS)
    SimpleProducer(client).send_messages(topic, *[LARGE[:900]] * 5)
    assert sizes(client, topic) == [900] * 5


@pytest.mark.parametrize("key", [None, b"k", b"key" * 30])
@pytest.mark.parametrize("codec", [None, CODEC_GZIP])
def test_the_limit_is_the_brokers(broker: Broker, client: KafkaClient, key: bytes | None, codec: int | None) -> None:
    """Beside others a message is refused exactly where it is refused alone."""
    topic = broker.new_topic(settings=SETTINGS)
    producer: Any = KeyedProducer(client, codec=codec, sync_fail_on_error=False)
    refused, foreseen = [], []
    taken_beside = 0
    for size in range(LIMIT - 200, LIMIT + 1, 7):
        message = create_message(LARGE[:size], key)
        predicted = batch_size(message, codec or 0, None) or 0
        if codec == CODEC_GZIP and abs(predicted - LIMIT) <= UNCERTAIN:
            continue
        (alone,) = producer.send_messages(topic, key, message.value)
        (beside,) = producer.send_messages(topic, key, message.value, b"x")
        assert alone.error == beside.error
        refused.append(alone.error != 0)
        taken_beside += not beside.error
        foreseen.append(predicted > LIMIT)
    assert True in refused
    assert False in refused
    assert foreseen == refused
    assert sizes(client, topic).count(1) == taken_beside


def test_a_limit_that_is_raised_meanwhile(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(settings=SETTINGS)
    producer = SimpleProducer(embedded)
    with pytest.raises(MessageSizeTooLargeError):
        producer.send_messages(topic, b"a", LARGE)
    with Admin(bootstrap_servers=embedded_broker.bootstrap_servers) as admin:
        admin.alter_configs({("topic", topic): {"max.message.bytes": "100000"}})
    producer.send_messages(topic, b"a", LARGE)
    assert sizes(embedded, topic) == [1, len(LARGE)]


def test_an_asynchronous_producer_stores_what_fits(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(settings=SETTINGS)
    producer = SimpleProducer(embedded, async_=True)
    producer.send_messages(topic, b"a", LARGE, b"b")
    producer.stop()
    assert sizes(embedded, topic) == [1, 1]


def test_a_broker_that_does_not_tell_its_limits() -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic", configs=SETTINGS)
        broker.intercept("DescribeConfigs", "CLUSTER_AUTHORIZATION_FAILED")
        client = KafkaClient(broker.bootstrap_servers)
        SimpleProducer(client).send_messages("topic", b"a", b"b")
        with pytest.raises(MessageSizeTooLargeError):
            SimpleProducer(client).send_messages("topic", b"c", LARGE)
        client.close()
