"""Delivery reports of the synchronous producer: futures, and callbacks that run in the caller's own calls."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars import DeliveryFuture, Producer
from kafkars.errors import KafkaTimeoutError, MessageTooLargeError

from tests.brokers import Broker
from tests.support.clients import numbers
from tests.support.waiting import SECONDS, Stopwatch, eventually


@pytest.fixture
def producer(broker: Broker) -> Iterator[Producer[Any, Any]]:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as made:
        yield made


@pytest.fixture
def too_large(broker: Broker) -> str:
    """A topic that refuses records of more than a kilobyte."""
    return broker.new_topic(settings={"max.message.bytes": "1000"})


def test_a_future_gives_the_result_or_the_exception(producer: Producer[Any, Any], topic: str, too_large: str) -> None:
    stored, refused = producer.send(topic, b"value"), producer.send(too_large, bytes(5_000))
    assert stored.result(SECONDS).offset == 0
    assert stored.exception() is None
    error = refused.exception(SECONDS)
    assert isinstance(error, MessageTooLargeError)
    with pytest.raises(MessageTooLargeError):
        refused.result()
    assert stored.done()
    assert refused.done()
    assert "offset 0" in repr(stored)
    assert "failed" in repr(refused)


def test_a_result_that_is_late_is_a_timeout_and_the_record_goes_on(broker: Broker, topic: str) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000) as producer:
        sent = producer.send(topic, b"value")
        with Stopwatch() as watch, pytest.raises(KafkaTimeoutError, match="still on its way"):
            sent.result(0.1)
        assert 0.09 < watch.seconds < SECONDS / 2
        assert not sent.done()
        assert "pending" in repr(sent)
        producer.flush(SECONDS)
        assert sent.result().offset == 0


def test_callbacks_run_in_the_order_of_the_sends(producer: Producer[Any, Any], topic: str) -> None:
    seen: list[DeliveryFuture] = []
    sent = [producer.send(topic, number, on_delivery=seen.append) for number in numbers(100)]
    assert producer.flush(SECONDS) == 0
    assert seen == sent
    assert [each.result().offset for each in seen] == list(range(100))


def test_callbacks_run_on_the_thread_that_polls_or_flushes(producer: Producer[Any, Any], topic: str) -> None:
    threads: list[threading.Thread] = []

    def note(_future: DeliveryFuture) -> None:
        threads.append(threading.current_thread())

    sent = producer.send(topic, b"value", on_delivery=note)
    sent.result(SECONDS)
    assert threads == []
    assert producer.poll() == 1
    assert threads == [threading.current_thread()]


def test_a_poll_waits_for_a_callback(broker: Broker, topic: str) -> None:
    with Producer(bootstrap_servers=broker.bootstrap_servers, linger_ms=1_500) as producer:
        seen: list[DeliveryFuture] = []
        producer.send(topic, b"value", on_delivery=seen.append)
        assert producer.poll() == 0
        assert producer.poll(SECONDS) == 1
        assert len(seen) == 1
        with Stopwatch() as watch:
            assert producer.poll(SECONDS) == 0
        assert watch.seconds < SECONDS / 2


def test_callbacks_learn_of_failures(producer: Producer[Any, Any], too_large: str) -> None:
    seen: list[DeliveryFuture] = []
    producer.send(too_large, bytes(5_000), on_delivery=seen.append)
    producer.flush(SECONDS)
    (future,) = seen
    assert isinstance(future.exception(), MessageTooLargeError)


@pytest.mark.parametrize("call", ["poll", "flush", "close"])
def test_a_callbacks_exception_reaches_the_caller_and_the_rest_still_run(broker: Broker, topic: str, call: str) -> None:
    class OwnError(Exception):
        pass

    def fail(_future: DeliveryFuture) -> None:
        raise OwnError

    seen: list[DeliveryFuture] = []
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        sent = producer.send(topic, b"value", on_delivery=seen.append)
        producer.send(topic, b"value", on_delivery=fail)
        producer.send(topic, b"value", on_delivery=seen.append).result(SECONDS)
        with pytest.raises(OwnError):
            getattr(producer, call)(timeout=SECONDS)
        if call == "poll":  # the others go on to their end
            assert seen == [sent]
            producer.poll()
        assert len(seen) == 2
    assert producer.closed


def test_callbacks_can_be_added_later_and_run_at_once_when_it_is_over(producer: Producer[Any, Any], topic: str) -> None:
    seen: list[str] = []
    sent = producer.send(topic, b"value")
    sent.add_done_callback(lambda _: seen.append("first"))
    sent.add_done_callback(lambda _: seen.append("second"))
    producer.flush(SECONDS)
    assert seen == ["first", "second"]
    sent.add_done_callback(lambda _: seen.append("third"))
    assert seen == ["first", "second", "third"]


def test_a_callback_may_send(producer: Producer[Any, Any], topic: str) -> None:
    seen: list[int] = []

    def again(future: DeliveryFuture) -> None:
        seen.append(future.result().offset)
        if len(seen) < 5:
            producer.send(topic, b"again", on_delivery=again)

    producer.send(topic, b"value", on_delivery=again)
    eventually(lambda: producer.poll(0.1) >= 0 and len(seen) == 5, "all callbacks have run")
    assert seen == [0, 1, 2, 3, 4]


def test_many_threads_send_through_one_producer(producer: Producer[Any, Any], topic: str) -> None:
    stored: list[list[int]] = [[] for _ in range(4)]

    def work(into: list[int]) -> None:
        into.extend(each.result(SECONDS).offset for each in [producer.send(topic, b"value") for _ in range(500)])

    threads = [threading.Thread(target=work, args=(into,)) for into in stored]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(offset for mine in stored for offset in mine) == list(range(2_000))
    assert all(mine == sorted(mine) for mine in stored)
