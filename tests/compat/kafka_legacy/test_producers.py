"""`SimpleProducer` and `KeyedProducer`, synchronous and asynchronous."""

from __future__ import annotations

import inspect
import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from kafkars.compat.kafka_legacy import (
    KafkaClient,
    KeyedProducer,
    Murmur2Partitioner,
    RoundRobinPartitioner,
    SimpleProducer,
)
from kafkars.compat.kafka_legacy.common import (
    AsyncProducerQueueFull,
    FailedPayloadsError,
    FetchRequest,
    KafkaError,
    MessageSizeTooLargeError,
    ProduceRequest,
    ProduceResponse,
    RequestTimedOutError,
    UnsupportedCodecError,
)
from kafkars.compat.kafka_legacy.producer._upstream import Upstream
from kafkars.compat.kafka_legacy.producer.base import Producer
from kafkars.compat.kafka_legacy.protocol import CODEC_GZIP, CODEC_NONE, CODEC_SNAPPY
from kafkars.testing import EmbeddedBroker

from tests.brokers import Broker
from tests.support.waiting import SECONDS, Stopwatch, eventually


def stored(client: KafkaClient, topic: str, partition: int = 0) -> list[tuple[bytes | None, bytes | None]]:
    """Keys and values of a partition."""
    request = FetchRequest(topic.encode(), partition, 0, 1 << 20)
    (response,) = client.send_fetch_request([request], min_bytes=0)
    return [(each.message.key, each.message.value) for each in response.messages]


def taken(request: ProduceRequest) -> ProduceResponse:
    return ProduceResponse(request.topic, request.partition, 0, 0)


class Answers:
    """Takes the place of `send_produce_request`: keeps what it is given, answers what it is told to, then that all went
    well."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: list[list[ProduceRequest]] = []

    def answer(self, requests: list[ProduceRequest], **_settings: Any) -> list[Any]:
        self.requests.append(list(requests))
        answer = self.answers.pop(0) if self.answers else taken
        return [answer(each) for each in requests]


def sending(answers: Answers) -> Any:
    """Patches all clients, because an asynchronous producer has a copy."""
    return patch.object(KafkaClient, "send_produce_request", answers.answer)


def test_messages_go_to_one_partition_after_the_other(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic(partitions=3)
    producer = SimpleProducer(client, random_start=False)
    first = producer.send_messages(topic, b"a", b"b")
    assert first == [ProduceResponse(topic.encode(), 0, 0, 0)]
    places = [producer.send_messages(topic.encode(), b"c")[0][1:] for _ in range(5)]
    assert places == [(1, 0, 0), (2, 0, 0), (0, 0, 2), (1, 0, 1), (2, 0, 1)]
    assert stored(client, topic) == [(None, b"a"), (None, b"b"), (None, b"c")]
    assert repr(producer) == "<SimpleProducer batch=False>"


def test_a_random_start_is_any_partition(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    assert {SimpleProducer(embedded).send_messages(topic, b"a")[0].partition for _ in range(40)} == {0, 1}


def test_keys_choose_the_partition(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic(partitions=4)
    murmur = KeyedProducer(client, partitioner=Murmur2Partitioner)
    keys = [b"%d" % number for number in range(20)]
    for key in keys:
        (response,) = murmur.send_messages(topic, key, b"first", b"second")
        assert response.partition == Murmur2Partitioner([0, 1, 2, 3]).partition(key)
        assert stored(client, topic, response.partition)[-2:] == [(key, b"first"), (key, b"second")]
    hashed = KeyedProducer(client)
    assert hashed.send_messages(topic, b"key", b"value")[0].partition == hash(b"key") % 4
    turns = KeyedProducer(client, partitioner=RoundRobinPartitioner)
    assert [turns.send_messages(topic, b"key", b"value")[0].partition for _ in range(5)] == [0, 1, 2, 3, 0]


def test_a_tombstone_needs_a_key(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    producer = KeyedProducer(embedded)
    producer.send_messages(topic, b"key", None)
    with pytest.warns(DeprecationWarning, match="send_messages"):
        producer.send(topic, b"key", b"value")
    assert stored(embedded, topic) == [(b"key", None), (b"key", b"value")]
    with pytest.raises(TypeError):
        producer.send_messages(topic, None, None)
    assert len(stored(embedded, topic)) == 2


@pytest.mark.parametrize("codec", [None, CODEC_NONE, CODEC_GZIP, CODEC_SNAPPY])
@pytest.mark.parametrize("level", [None, 1])
def test_codecs(broker: Broker, client: KafkaClient, codec: int | None, level: int | None) -> None:
    topic = broker.new_topic()
    values = [b"value %d" % number * 100 for number in range(50)]
    SimpleProducer(client, codec=codec, codec_compresslevel=level).send_messages(topic, *values)
    assert [value for _, value in stored(client, topic)] == values


def test_unknown_codecs() -> None:
    for codec in (3, 99):
        with pytest.raises(UnsupportedCodecError):
            SimpleProducer(None, codec=codec)


@pytest.mark.parametrize("wrong", ["text", 12, ["list"], bytearray(b"array"), None])
def test_what_is_no_message(embedded_broker: Broker, embedded: KafkaClient, wrong: Any) -> None:
    topic = embedded_broker.new_topic()
    for asynchronously in (False, True):
        simple: Any = SimpleProducer(embedded, async_=asynchronously)
        with pytest.raises(TypeError):
            simple.send_messages(topic, b"good", wrong)
        keyed: Any = KeyedProducer(embedded, async_=asynchronously)
        if wrong is not None:
            with pytest.raises(TypeError):
                keyed.send_messages(topic, b"key", b"good", wrong)
            with pytest.raises(TypeError):
                keyed.send_messages(topic, wrong if not isinstance(wrong, (list, bytearray)) else 1.5, b"good")
        with pytest.raises(AttributeError):
            simple.send_messages(12, b"good")
        for producer in (simple, keyed):
            if asynchronously:
                producer.stop()
    assert stored(embedded, topic) == []


def test_a_synchronous_failure_is_raised_or_told(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(settings={"max.message.bytes": "1000"})
    with pytest.raises(MessageSizeTooLargeError):
        SimpleProducer(embedded).send_messages(topic, bytes(5000))
    (response,) = SimpleProducer(embedded, sync_fail_on_error=False).send_messages(topic, bytes(5000))
    assert response.error == MessageSizeTooLargeError.errno
    assert SimpleProducer(embedded, req_acks=Producer.ACK_NOT_REQUIRED).send_messages(topic, b"a") == []
    (response,) = SimpleProducer(embedded, req_acks=Producer.ACK_AFTER_CLUSTER_COMMIT).send_messages(topic, b"a")
    assert response.error == 0


def asynchronous(kind: Callable[..., Any], client: KafkaClient, **options: Any) -> Any:
    return kind(client, **{"async": True, **options})


def test_async_is_said_in_four_ways(embedded: KafkaClient) -> None:
    assert list(inspect.signature(Producer).parameters)[:8] == [
        "client",
        "req_acks",
        "ack_timeout",
        "codec",
        "codec_compresslevel",
        "sync_fail_on_error",
        "async_",
        "batch_send",
    ]
    made = [
        SimpleProducer(embedded, async_=True),
        SimpleProducer(embedded, **{"async": True}),
        SimpleProducer(embedded, 1, 1000, None, None, True, True),
        SimpleProducer(embedded, batch_send=True),
    ]
    for producer in made:
        assert producer.async_ is getattr(producer, "async") is True
        assert repr(producer) == "<SimpleProducer batch=True>"
        producer.stop()
    with pytest.raises(TypeError, match="nonsense"):
        SimpleProducer(embedded, nonsense=1)


def test_an_asynchronous_producer_sends_what_waits_when_it_stops(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic()
    for kind in (SimpleProducer, KeyedProducer):
        producer = asynchronous(kind, client, batch_send_every_n=1000, batch_send_every_t=1000)
        key = [b"key"] if kind is KeyedProducer else []
        assert producer.send_messages(topic, *key, b"one", b"two") == []
        with Stopwatch() as watch:
            producer.stop()
        assert watch.seconds < SECONDS
        assert producer.stopped
        assert not producer.thread.is_alive()
        producer.stop()
        with pytest.raises(KafkaError, match="stopped"):
            producer.send_messages(topic, *key, b"three")
    expected = [(None, b"one"), (None, b"two"), (b"key", b"one"), (b"key", b"two")]
    assert stored(client, topic) == expected


def test_batches_by_number(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    answers = Answers()
    embedded.load_metadata_for_topics(topic)
    with sending(answers):
        producer = asynchronous(SimpleProducer, embedded, batch_send_every_n=5, batch_send_every_t=1000)
        for number in range(12):
            producer.send_messages(topic, b"%d" % number)
        eventually(lambda: len(answers.requests) == 2, "two batches are sent")
        producer.stop()
    assert [[len(each.messages) for each in requests] for requests in answers.requests] == [[5], [5], [2]]
    values = [each.value for requests in answers.requests for request in requests for each in request.messages]
    assert values == [b"%d" % number for number in range(12)]


def test_batches_by_time(broker: Broker, client: KafkaClient) -> None:
    topic = broker.new_topic()
    producer = asynchronous(SimpleProducer, client, batch_send_every_n=1000, batch_send_every_t=0.2)
    producer.send_messages(topic, b"one", b"two")
    eventually(lambda: stored(client, topic) == [(None, b"one"), (None, b"two")], "the time is over")
    producer.stop()


def test_a_full_queue(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    embedded.load_metadata_for_topics(topic)
    held = threading.Event()
    with patch.object(KafkaClient, "reinit", lambda _client: held.wait(SECONDS)):
        producer = asynchronous(SimpleProducer, embedded, async_queue_maxsize=2)
        with pytest.raises(AsyncProducerQueueFull) as full:
            producer.send_messages(topic, b"one", b"two", b"three", b"four")
        assert full.value.failed_msgs == (b"three", b"four")
        waiting = asynchronous(SimpleProducer, embedded, async_queue_maxsize=1, async_queue_put_timeout=0.3)
        with Stopwatch() as watch, pytest.raises(AsyncProducerQueueFull):
            waiting.send_messages(topic, b"five", b"six")
        assert watch.seconds >= 0.3
        held.set()
        producer.stop()
        waiting.stop()
    assert sorted(value or b"" for _, value in stored(embedded, topic)) == [b"five", b"one", b"two"]


@pytest.mark.parametrize("limits", [{"batch_send_every_n": 0}, {"batch_send_every_t": 0}, {"async_queue_maxsize": -1}])
def test_limits_that_make_no_sense(embedded: KafkaClient, limits: dict[str, int]) -> None:
    with pytest.raises(AssertionError):
        asynchronous(SimpleProducer, embedded, **limits)


def failed(request: ProduceRequest) -> FailedPayloadsError:
    return FailedPayloadsError(request)


def timed_out(request: ProduceRequest) -> ProduceResponse:
    return ProduceResponse(*request[:2], RequestTimedOutError.errno, -1)


def too_large(request: ProduceRequest) -> ProduceResponse:
    return ProduceResponse(*request[:2], MessageSizeTooLargeError.errno, -1)


def not_led(request: ProduceRequest) -> ProduceResponse:
    return ProduceResponse(*request[:2], 6, -1)


@pytest.mark.parametrize(
    ("options", "answers", "sent"),
    [
        ({}, [failed, failed, not_led], 4),
        ({"async_retry_limit": 1}, [failed, failed, failed], 2),
        ({"async_retry_limit": 0}, [failed], 1),
        ({}, [too_large], 1),
        ({}, [timed_out], 2),
        ({"async_retry_on_timeouts": False}, [timed_out], 1),
    ],
)
def test_what_is_sent_again(
    embedded_broker: Broker, embedded: KafkaClient, options: dict[str, Any], answers: list[Any], sent: int
) -> None:
    topic = embedded_broker.new_topic()
    embedded.load_metadata_for_topics(topic)
    answered = Answers(*answers)
    with sending(answered):
        producer = asynchronous(SimpleProducer, embedded, async_retry_backoff_ms=5, **options)
        producer.send_messages(topic, b"value")
        producer.stop()
    assert len(answered.requests) == sent
    assert all(requests == answered.requests[0] for requests in answered.requests)


@pytest.mark.parametrize(("told", "in_log"), [(True, True), (False, False)])
def test_what_the_log_says_of_failures(
    embedded_broker: Broker, embedded: KafkaClient, caplog: pytest.LogCaptureFixture, told: bool, in_log: bool
) -> None:
    topic = embedded_broker.new_topic()
    embedded.load_metadata_for_topics(topic)
    with sending(Answers(too_large)), caplog.at_level(logging.ERROR, "kafka.producer"):
        producer = asynchronous(SimpleProducer, embedded, async_log_messages_on_error=told)
        producer.send_messages(topic, b"a secret")
        producer.stop()
    assert "MessageSizeTooLargeError" in caplog.text
    assert ("a secret" in caplog.text) is in_log


def test_stopping_gives_up_after_a_while(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    embedded.load_metadata_for_topics(topic)
    with sending(Answers(*[failed] * 1000)):
        producer = asynchronous(SimpleProducer, embedded, async_stop_timeout=0.3)
        producer.send_messages(topic, b"value")
        with Stopwatch() as watch:
            producer.stop()
    assert 0.3 <= watch.seconds < SECONDS


def test_a_broker_that_comes_back() -> None:
    with EmbeddedBroker() as broker:
        broker.create_topic("topic")
        client = KafkaClient(broker.bootstrap_servers)
        client.load_metadata_for_topics("topic")
        broker.stop_node(1)
        producer = asynchronous(SimpleProducer, client, batch_send_every_n=1)
        for number in range(5):
            producer.send_messages("topic", b"%d" % number)
        broker.start_node(1)
        eventually(lambda: [value for _, value in stored(client, "topic")] == [b"%d" % n for n in range(5)], "all came")
        producer.stop()
        client.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_has_clients_of_its_own(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    simple = SimpleProducer(embedded)
    queued = asynchronous(SimpleProducer, embedded, batch_send_every_n=1000, batch_send_every_t=1000)
    simple.send_messages(topic, b"parent")
    queued.send_messages(topic, b"queued")
    child = os.fork()
    if child == 0:
        # Nothing of the test may go on here, whatever happens.
        status = 1
        try:
            simple.send_messages(topic, b"child")
            try:
                queued.send_messages(topic, b"lost")
            except KafkaError:
                queued.stop()
                status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    queued.stop()
    assert [value for _, value in stored(embedded, topic)] == [b"parent", b"child", b"queued"]


def test_threads_may_share_a_producer(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic(partitions=2)
    producers = [SimpleProducer(embedded), asynchronous(SimpleProducer, embedded, batch_send_every_t=0.05)]

    def send(number: int) -> None:
        for each in range(20):
            producers[number % 2].send_messages(topic, b"%d-%d" % (number, each))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    producers[1].stop()
    found = [value for partition in (0, 1) for _, value in stored(embedded, topic, partition)]
    assert sorted(value or b"" for value in found) == sorted(b"%d-%d" % (a, b) for a in range(6) for b in range(20))


@pytest.mark.parametrize(
    "options",
    [
        {"batch_send_every_n": 1000 / 2},
        {"batch_send_every_n": 2.5},
        {"batch_send_every_n": float("inf")},
        {"batch_send_every_t": sys.maxsize},
        {"batch_send_every_t": float("inf"), "async_queue_maxsize": 100},
        {"async_stop_timeout": None},
        {"async_stop_timeout": 10**400},
        {"async_queue_maxsize": 100, "async_queue_put_timeout": None},
        {"async_queue_maxsize": 100, "async_queue_put_timeout": sys.maxsize},
        {"async_retry_backoff_ms": -1, "async_retry_limit": 2.0},
    ],
)
def test_numbers_at_their_limits(embedded_broker: Broker, embedded: KafkaClient, options: dict[str, Any]) -> None:
    topic = embedded_broker.new_topic()
    producer = asynchronous(SimpleProducer, embedded, **options)
    for number in range(7):
        producer.send_messages(topic, b"%d" % number)
    producer.stop()
    assert [value for _, value in stored(embedded, topic)] == [b"%d" % number for number in range(7)]


@pytest.mark.parametrize(
    "name",
    [
        "req_acks",
        "batch_send_every_n",
        "batch_send_every_t",
        "async_retry_limit",
        "async_retry_backoff_ms",
        "async_queue_maxsize",
        "async_queue_put_timeout",
        "async_stop_timeout",
    ],
)
def test_settings_that_are_text(embedded: KafkaClient, name: str) -> None:
    with pytest.raises(TypeError):
        asynchronous(SimpleProducer, embedded, **{name: "5"})


def test_a_thread_that_ends_is_told(embedded_broker: Broker, embedded: KafkaClient) -> None:
    topic = embedded_broker.new_topic()
    embedded.load_metadata_for_topics(topic)
    with patch.object(Upstream, "_collect", side_effect=ZeroDivisionError("the cause")):
        producer = asynchronous(SimpleProducer, embedded)
        producer.thread.join(SECONDS)
    assert not producer.thread.is_alive()
    for call in (lambda: producer.send_messages(topic, b"value"), producer.stop):
        with pytest.raises(KafkaError, match="the cause") as told:
            call()
        assert isinstance(told.value.__cause__, ZeroDivisionError)
    producer.stop()
