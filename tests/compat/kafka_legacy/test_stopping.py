"""What becomes of messages when an asynchronous producer stops: sent in time, given up and told, or told to whoever
sends them meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from kafkars.compat.kafka_legacy import KafkaClient
from kafkars.compat.kafka_legacy.common import (
    AsyncProducerQueueFull,
    FailedPayloadsError,
    KafkaError,
    ProduceRequest,
    ProduceResponse,
)
from kafkars.compat.kafka_legacy.producer.base import Producer
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.waiting import SECONDS, Stopwatch, eventually

LIMIT = 0.5
GRACE = 10.0
"""Seconds beyond a limit that a loaded machine may need; what was wrong took thirty."""

Breaking = Callable[[EmbeddedBroker], None]


def gone(broker: EmbeddedBroker) -> None:
    broker.stop_node(1)


def mute(broker: EmbeddedBroker) -> None:
    broker.pause_node(1)


def mute_for_messages(broker: EmbeddedBroker) -> None:
    broker.intercept("Produce", "drop")


@pytest.mark.parametrize("breaks", [gone, mute, mute_for_messages])
@pytest.mark.parametrize("is_sending", [True, False])
@pytest.mark.parametrize("is_bounded", [True, False])
def test_stop_takes_no_longer_than_it_may(
    breaks: Breaking, is_sending: bool, is_bounded: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic", partitions=2)
        client = KafkaClient(broker.bootstrap_servers)
        client.load_metadata_for_topics("topic")
        producer = Producer(
            client,
            async_=True,
            batch_send_every_n=2 if is_sending else 1000,
            batch_send_every_t=1000,
            async_stop_timeout=LIMIT,
            async_queue_maxsize=4 if is_bounded else 0,
        )
        if is_sending:
            # It knows the cluster and has a connection.
            producer.send_messages("topic", 0, b"x", b"y")
            eventually(lambda: len(broker.records("topic")) == 2, "the first batch is stored")
        breaks(broker)
        with caplog.at_level(logging.ERROR, "kafka.producer"):
            producer.send_messages("topic", 0, b"a", b"b")
            if is_sending:
                eventually(producer.queue.empty, "the thread has taken the batch")
            producer.send_messages("topic", 1, b"c")
            with Stopwatch() as watch:
                producer.stop()
        assert watch.seconds < LIMIT + GRACE
        assert not producer.thread.is_alive()
        assert "Stopped producer with 3 unsent messages: " in caplog.text
        assert "2 for b'topic':0" in caplog.text
        assert "1 for b'topic':1" in caplog.text
        client.close()


class Sent:
    """Takes the place of `send_produce_request`: keeps what was stored; some partitions fail, until they are mended."""

    def __init__(self, *broken: int) -> None:
        self.broken = set(broken)
        self.stored: dict[int, list[bytes | None]] = {}

    def answer(self, requests: list[ProduceRequest], **_settings: Any) -> list[Any]:
        answers: list[Any] = []
        for each in requests:
            if each.partition in self.broken:
                answers.append(FailedPayloadsError(each))
            else:
                self.stored.setdefault(each.partition, []).extend(message.value for message in each.messages)
                answers.append(ProduceResponse(each.topic, each.partition, 0, 0))
        return answers


@pytest.mark.parametrize("backoff", [1, 600_000])
@pytest.mark.parametrize("maxsize", [0, 3])
def test_what_cannot_be_sent_holds_up_its_partition_only(embedded: KafkaClient, backoff: int, maxsize: int) -> None:
    sent = Sent(0)
    with patch.object(
        KafkaClient, "send_produce_request", lambda _client, *args, **kwargs: sent.answer(*args, **kwargs)
    ):
        producer = Producer(
            embedded,
            async_=True,
            batch_send_every_n=1,
            async_retry_backoff_ms=backoff,
            async_queue_maxsize=maxsize,
            async_queue_put_timeout=SECONDS,
            async_stop_timeout=LIMIT,
        )
        values = [b"%d" % number for number in range(6)]
        producer.send_messages("topic", 0, b"first")
        for value in values:
            producer.send_messages("topic", 1, value)
        eventually(lambda: sent.stored.get(1) == values, "the others are sent")
        producer.send_messages("topic", 0, b"second", b"third")
        if backoff == 1:
            sent.broken.clear()
            eventually(lambda: len(sent.stored.get(0, [])) == 3, "it goes on")
        with Stopwatch() as watch:
            producer.stop()
    assert watch.seconds < LIMIT + GRACE
    assert sent.stored.get(0, []) == ([b"first", b"second", b"third"] if backoff == 1 else [])


def test_a_queue_with_a_limit_keeps_it(embedded: KafkaClient) -> None:
    sent = Sent(0)
    with patch.object(
        KafkaClient, "send_produce_request", lambda _client, *args, **kwargs: sent.answer(*args, **kwargs)
    ):
        producer = Producer(
            embedded,
            async_=True,
            batch_send_every_n=1,
            async_queue_maxsize=3,
            async_queue_put_timeout=LIMIT,
            async_retry_backoff_ms=1,
            async_stop_timeout=LIMIT,
        )
        taken = 0
        with pytest.raises(AsyncProducerQueueFull) as full:
            for _ in range(50):
                producer.send_messages("topic", 0, b"value")
                taken += 1
        # One that failed, three that wait behind it, three in the queue.
        assert full.value.failed_msgs == (b"value",)
        assert taken == 7
        producer.stop()


def test_a_message_sent_while_the_producer_stops_is_stored_or_told_of(
    embedded_broker: Broker, embedded: KafkaClient
) -> None:
    """A message that comes when the thread has looked into the queue for the last time."""
    topic = embedded_broker.new_topic()
    embedded.load_metadata_for_topics(topic)
    producer: Any = Producer(embedded, async_=True)
    at_the_end, may_end = threading.Event(), threading.Event()
    put = producer.queue.put

    def put_late(*args: Any, **kwargs: Any) -> None:
        # What send_messages() has checked is true no more.
        at_the_end.set()
        assert may_end.wait(SECONDS)
        put(*args, **kwargs)

    told: list[BaseException] = []

    def send() -> None:
        with patch.object(type(producer.queue), "put", lambda _queue, *args, **kwargs: put_late(*args, **kwargs)):
            try:
                producer.send_messages(topic, 0, b"late", b"later")
            except KafkaError as error:
                told.append(error)

    thread = threading.Thread(target=send)
    thread.start()
    assert at_the_end.wait(SECONDS)
    producer.stop()
    may_end.set()
    thread.join(SECONDS)
    (error,) = told
    assert isinstance(error, AsyncProducerQueueFull)
    assert error.failed_msgs == (b"late", b"later")


def test_whatever_is_accepted_is_sent_or_told_of(embedded: KafkaClient, caplog: pytest.LogCaptureFixture) -> None:
    """Threads send while the producer stops, again and again."""
    sent = Sent()
    accepted: list[bytes] = []
    refused: list[bytes] = []

    def send(producer: Producer, name: bytes) -> None:
        for number in range(10_000):
            value = b"%s-%d" % (name, number)
            try:
                producer.send_messages("topic", 0, value)
            except KafkaError:
                refused.append(value)
                return
            accepted.append(value)

    with patch.object(
        KafkaClient, "send_produce_request", lambda _client, *args, **kwargs: sent.answer(*args, **kwargs)
    ):
        for turn in range(10):
            producer = Producer(embedded, async_=True, batch_send_every_n=7)
            threads = [threading.Thread(target=send, args=(producer, b"%d-%d" % (turn, each))) for each in range(3)]
            for thread in threads:
                thread.start()
            eventually(lambda: sent.stored, "it has begun")
            producer.stop()
            for thread in threads:
                thread.join(SECONDS)
    unsent = sum(record.args[0] for record in caplog.records if str(record.msg).startswith("Stopped producer with"))
    missing = len(accepted) - len(set(accepted) & set(sent.stored[0]))
    assert len(refused) <= 3 * 10
    assert missing == unsent
    assert len(sent.stored[0]) == len(set(sent.stored[0]))
