"""Questions about offsets: one request for all partitions, and within their time limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.brokers import Broker
from tests.compat.confluent.conftest import SECONDS, Clients, places, poll_until

PARTITIONS = 4
NOWHERE = "127.0.0.1:1"

QUESTIONS: dict[str, Callable[[Any, Any, float], object]] = {
    "get_watermark_offsets": lambda consumer, at, timeout: consumer.get_watermark_offsets(at, timeout=timeout),
    "offsets_for_times": lambda consumer, at, timeout: consumer.offsets_for_times([at], timeout=timeout),
}


def test_one_request_asks_for_the_times_of_all_partitions(ck: ModuleType, embedded_broker: Broker) -> None:
    clients = Clients(ck, embedded_broker)
    topic = clients.topic(PARTITIONS, messages=PARTITIONS)
    consumer = clients.consumer({"client.id": topic})
    consumer.assign([ck.TopicPartition(topic, 0)])
    poll_until(consumer, 1)
    consumer.unassign()

    def requests() -> int:
        return len(embedded_broker.handle.requests("ListOffsets", client_id=topic))

    before = requests()
    asked = [ck.TopicPartition(topic, number, 0) for number in range(PARTITIONS)]
    assert places(consumer.offsets_for_times(asked, timeout=SECONDS)) == places(asked)
    assert requests() == before + 1
    clients.close()


def test_times_of_partitions_are_told_in_the_order_of_the_question(clients: Clients) -> None:
    topic = clients.topic(2, messages=4)
    consumer = clients.consumer()
    place, end = clients.ck.TopicPartition, clients.ck.OFFSET_END
    late = 2**42
    asked = [place(topic, 1, late), place(topic, 9, 0), place(topic, 0, 0)]
    found = consumer.offsets_for_times(asked, timeout=SECONDS)
    told = [(each.partition, each.offset, each.error and each.error.name()) for each in found]
    assert told == [(1, end, None), (9, 0, "_UNKNOWN_PARTITION"), (0, 0, None)]
    if clients.ck.__name__ == "confluent_kafka":
        # It has one answer for a partition that is named twice.
        return
    asked = [place(topic, 1, late), place(topic, 0, 0), place(topic, 1, 0), place(topic, 0, end), place(topic, 1, 0)]
    found = consumer.offsets_for_times(asked, timeout=SECONDS)
    assert [each.offset for each in found] == [end, 0, 0, 2, 0]


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("is_assigned", [False, True])
@pytest.mark.parametrize("timeout", [0.0, 0.5])
def test_without_a_broker_a_question_ends_in_time(
    ck: ModuleType, question: Callable[[Any, Any, float], object], is_assigned: bool, timeout: float
) -> None:
    consumer = ck.Consumer({"bootstrap.servers": NOWHERE, "group.id": "nobody", "log_level": 0})
    at = ck.TopicPartition("topic", 0, 0)
    if is_assigned:
        consumer.assign([at])
    began = time.monotonic()
    with pytest.raises(ck.KafkaException) as caught:
        question(consumer, at, timeout)
    assert caught.value.args[0].name() == "_ALL_BROKERS_DOWN"
    assert time.monotonic() - began < timeout + 0.4
    consumer.close()


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_slow_brokers_do_not_lengthen_the_time_limit(
    ck: ModuleType, embedded_broker: Broker, question: Callable[[Any, Any, float], object]
) -> None:
    clients = Clients(ck, embedded_broker)
    topic = clients.topic()
    consumer = clients.consumer()
    at = ck.TopicPartition(topic, 0, 0)
    question(consumer, at, SECONDS)
    with embedded_broker.handle.intercept("ListOffsets", "delay", seconds=3.0):
        began = time.monotonic()
        with pytest.raises(ck.KafkaException) as caught:
            question(consumer, at, 1.0)
        assert time.monotonic() - began < 1.5
    assert caught.value.args[0].name() == "_TIMED_OUT"
    clients.close()
