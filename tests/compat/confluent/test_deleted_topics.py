"""A topic that is deleted while it is read: calls that name it say so, and soon."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from tests.compat.confluent.conftest import SECONDS, Clients, poll_until
from tests.kafka import wire

Call = Callable[[Any, Any], object]

COMMITS: dict[str, Call] = {
    "commit()": lambda it, _: it.commit(asynchronous=False),
    "commit(offsets=)": lambda it, place: it.commit(offsets=[place], asynchronous=False),
}
QUESTIONS: dict[str, Call] = {
    "get_watermark_offsets()": lambda it, place: it.get_watermark_offsets(place, SECONDS),
    "offsets_for_times()": lambda it, place: it.offsets_for_times([place], SECONDS),
}


def reading(clients: Clients, **settings: Any) -> tuple[Any, str]:
    """A consumer that has read a topic, which is gone."""
    topic = clients.topic(messages=1)
    consumer = clients.consumer(settings)
    consumer.subscribe([topic])
    poll_until(consumer, 1)
    admin = AdminClient({"bootstrap.servers": clients.broker.bootstrap_servers})
    admin.delete_topics([topic])[topic].result(SECONDS)
    wire.wait_until_gone(clients.broker.bootstrap_servers, topic)
    return consumer, topic


def code(ck: Any, call: Callable[[], object]) -> str:
    """The name of the error that a call fails with."""
    with pytest.raises(ck.KafkaException) as caught:
        call()
    name: str = caught.value.args[0].name()
    return name


@pytest.mark.parametrize("call", COMMITS.values(), ids=COMMITS)
def test_a_commit_of_a_deleted_topic_says_that_there_is_none(clients: Clients, call: Call) -> None:
    consumer, topic = reading(clients, **{"enable.auto.commit": False})
    place = clients.ck.TopicPartition(topic, 0, 1)
    assert code(clients.ck, lambda: call(consumer, place)) == "UNKNOWN_TOPIC_OR_PART"


def test_on_commit_hears_that_there_is_no_such_topic(clients: Clients) -> None:
    told: list[Any] = []
    consumer, _ = reading(clients, on_commit=lambda error, _: told.append(error), **{"enable.auto.commit": False})
    consumer.commit()
    consumer.pause(consumer.assignment())
    deadline = time.monotonic() + SECONDS
    while not told:
        assert time.monotonic() < deadline
        # A poll may say it of the topic, too.
        consumer.poll(0.1)
    assert told[0].name() == "UNKNOWN_TOPIC_OR_PART"


@pytest.mark.parametrize("call", QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_about_a_deleted_topic_does_not_wait_for_it(clients: Clients, call: Call) -> None:
    consumer, topic = reading(clients)
    place, began = clients.ck.TopicPartition(topic, 0, 1), time.monotonic()
    # The library says the former until it has heard of the end of the topic.
    assert code(clients.ck, lambda: call(consumer, place)) in {"UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_PARTITION"}
    assert time.monotonic() - began < SECONDS / 2


def test_a_subscribed_topic_that_is_deleted_is_revoked(clients: Clients) -> None:
    told: list[tuple[str, set[str]]] = []

    def hear(kind: str) -> Callable[[Any, list[Any]], None]:
        return lambda _, partitions: told.append((kind, {at.topic for at in partitions}))

    gone, kept = clients.topic(messages=1), clients.topic(messages=1)
    consumer = clients.consumer({"topic.metadata.refresh.interval.ms": 1_000})
    consumer.subscribe([gone, kept], on_assign=hear("assigned"), on_revoke=hear("revoked"))
    poll_until(consumer, 2)
    admin = AdminClient({"bootstrap.servers": clients.broker.bootstrap_servers})
    admin.delete_topics([gone])[gone].result(SECONDS)
    deadline = time.monotonic() + SECONDS
    while told[-1] != ("assigned", {kept}):
        assert time.monotonic() < deadline, told
        # A poll may say that it is gone.
        consumer.poll(0.1)
    assert told == [("assigned", {gone, kept}), ("revoked", {gone, kept}), ("assigned", {kept})]
    assert {at.topic for at in consumer.assignment()} == {kept}
