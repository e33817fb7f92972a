"""Records above a limit: the client's own, or the broker's."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.errors import ConfigError, MessageTooLargeError, ProtocolError, RecordTooLargeError

from tests.brokers import Broker
from tests.support.clients import read, values
from tests.support.waiting import SECONDS, Stopwatch

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_above_the_clients_limit_nothing_is_sent(client_api: Any, broker: Broker, topic: str) -> None:
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers, max_request_size=10_000) as producer:
        for _ in range(3):
            with pytest.raises(RecordTooLargeError, match=r"max_request_size.*10000") as caught:
                producer.send(topic, bytes(10_001)).result(SECONDS)
            assert caught.value.topic == topic
        assert producer.metrics()["unacknowledged"] == 0
        assert producer.send(topic, bytes(9_000)).result(SECONDS).offset == 0


def test_above_the_brokers_limit_only_that_record_fails(client_api: Any, broker: Broker) -> None:
    topic = broker.new_topic(settings={"max.message.bytes": "2000"})
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=100) as producer:
        # One batch of three, which the client takes apart to find out which one it is.
        sent = [producer.send(topic, value) for value in (b"before", bytes(5_000), b"after")]
        with Stopwatch() as watch, pytest.raises(MessageTooLargeError, match=r"max\.message\.bytes") as caught:
            sent[1].result(SECONDS)
        assert watch.seconds < 10
        assert (caught.value.topic, caught.value.partition) == (topic, 0)
        assert [sent[0].result(SECONDS).offset, sent[2].result(SECONDS).offset] == [0, 1]
    with client_api.Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        assert values(read(consumer, 2)) == [b"before", b"after"]


def test_a_batch_too_large_for_its_topic_goes_out_in_parts(client_api: Any, broker: Broker) -> None:
    topic = broker.new_topic(settings={"max.message.bytes": "2000"})
    with client_api.Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=100) as producer:
        sent = [producer.send(topic, bytes([number]) * 400) for number in range(50)]
        assert [each.result(SECONDS).offset for each in sent] == list(range(50))


def test_an_answer_above_the_clients_limit_names_the_setting(client_api: Any, broker: Broker, topic: str) -> None:
    address = broker.bootstrap_servers
    with client_api.Producer(bootstrap_servers=address) as producer:
        producer.send(topic, bytes(100_000)).result(SECONDS)
    settings = {"bootstrap_servers": address, "auto_offset_reset": "earliest"}
    with client_api.Consumer(receive_message_max_bytes=20_000, **settings) as consumer:
        consumer.assign([(topic, 0)])
        with Stopwatch() as watch, pytest.raises(ProtocolError, match="receive_message_max_bytes"):
            consumer.poll(timeout=SECONDS)
        assert watch.seconds < 10


@pytest.mark.parametrize(
    "settings",
    [
        {"max_request_size": 0},
        {"batch_size": 0},
        {"buffer_memory": 1_000, "max_request_size": 2_000},
        {"batch_size": 2**31},
        {"buffer_memory": -1},
    ],
)
def test_limits_that_cannot_work_are_refused(client_api: Any, settings: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match=next(iter(settings))):
        client_api.Producer(bootstrap_servers="localhost:9092", **settings)
