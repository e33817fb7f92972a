"""Callbacks of records around `flush()` and `close()`, by the side of kafka-python's promises."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.compat.kafka import errors
from kafkars.testing import EmbeddedBroker

VERSIONS = pytest.mark.parametrize("face", [version_2, version_3], ids=["2", "3"])


@VERSIONS
@pytest.mark.parametrize("has_threads", [True, False])
def test_one_added_after_close_runs_at_once(face: Any, has_threads: bool) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        producer = face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
        if has_threads:
            producer.send("t", b"v").add_callback(lambda _: None).get(20)
        future = producer.send("t", b"v")
        producer.close()
    heard: list[Any] = []
    future.add_callback(heard.append)
    assert [each.offset for each in heard] == [future.get(20).offset]


@VERSIONS
def test_those_added_while_another_thread_closes_run_once(face: Any) -> None:
    heard: list[int] = []
    futures: list[Any] = []
    with EmbeddedBroker(topics={"t": 1}) as broker:
        for _ in range(20):
            producer = face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
            producer.send("t", b"v").add_callback(lambda _: None)
            sent = [producer.send("t", b"v") for _ in range(50)]
            together = threading.Barrier(2)

            def add(sent: list[Any] = sent, together: threading.Barrier = together) -> None:
                together.wait()
                for future in sent:
                    future.add_callback(lambda metadata: heard.append(metadata.offset))

            def close(closes: Callable[[], None] = producer.close, together: threading.Barrier = together) -> None:
                together.wait()
                closes()

            threads = [threading.Thread(target=each) for each in (add, close)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            futures += sent
        assert sorted(heard) == sorted(future.get(20).offset for future in futures)


@VERSIONS
def test_a_flush_waits_for_one_that_runs(face: Any) -> None:
    entered, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def slow(_: object) -> None:
        entered.set()
        may_end.wait(20)
        ended.set()

    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        producer.send("t", b"v").add_callback(slow)
        producer.send("t", b"v")
        assert entered.wait(20)
        with pytest.raises(errors.KafkaTimeoutError):
            producer.flush(0.1)
        may_end.set()
        producer.flush()
        assert ended.is_set()


@VERSIONS
def test_a_record_given_up_by_close_fails_with_an_error_of_the_library(face: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        producer = face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
        producer.partitions_for("t")
        broker.intercept("Produce", "drop")
        future = producer.send("t", b"v")
        heard: list[BaseException] = []
        future.add_errback(heard.append)
        with pytest.raises(errors.KafkaTimeoutError, match="given up"):
            producer.close(0)
        producer.close(0)
        with pytest.raises(errors.IllegalStateError, match="closed forcefully"):
            future.get(20)
    assert [type(each).__name__ for each in heard] == ["IllegalStateError"]


@VERSIONS
def test_a_close_within_a_callback_raises_nothing(face: Any) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        producer = face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
        producer.partitions_for("t")
        raised: list[BaseException] = []
        has_closed = threading.Event()

        def close(_: object) -> None:
            broker.intercept("Produce", "drop")
            lost = producer.send("t", b"lost")
            try:
                producer.close(5)
            except Exception as error:  # noqa: BLE001  whatever it is
                raised.append(error)
            lost.add_errback(lambda _: has_closed.set())

        producer.send("t", b"v").add_callback(close)
        assert has_closed.wait(20)
    assert raised == []


@VERSIONS
@pytest.mark.parametrize("seconds", [None, 5])
def test_a_close_that_sends_everything_raises_nothing(face: Any, seconds: float | None) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        producer = face.KafkaProducer(bootstrap_servers=broker.bootstrap_servers, linger_ms=60_000)
        future = producer.send("t", b"v")
        producer.close(seconds)
        assert future.get(0).offset == 0
