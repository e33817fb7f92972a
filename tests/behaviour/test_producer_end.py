"""The end of a synchronous producer is carried out whole: whatever callbacks raise, however often it is asked for."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafkars import DeliveryFuture, Producer
from kafkars.errors import ClosedError
from kafkars.testing import EmbeddedBroker, EmbeddedCluster, Fault

from tests.support.waiting import SECONDS, Stopwatch, eventually

RECORDS = 20


class OwnError(Exception):
    """What a callback raises."""


def fail(_future: DeliveryFuture) -> None:
    raise OwnError


@pytest.fixture(scope="module")
def cluster() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(topics={"quick": 1, "slow": 1}) as made:
        if made.leader("quick", 0) == made.leader("slow", 0):
            made.move_leader("quick", 0, (made.leader("slow", 0) + 1) % 3)
        yield made


def begun(cluster: EmbeddedCluster, **settings: Any) -> Producer[Any, Any]:
    producer = Producer[Any, Any](bootstrap_servers=cluster.bootstrap_servers, **settings)
    for topic in ("quick", "slow"):
        producer.send(topic, b"first").result(SECONDS)
    return producer


def slow(cluster: EmbeddedCluster, seconds: float) -> Fault:
    return cluster.intercept("Produce", "delay", seconds=seconds, node=cluster.leader("slow", 0), times=1)


def stored(cluster: EmbeddedCluster) -> int:
    _, end = cluster.offsets("slow", 0)
    return end


def test_a_close_whose_callback_raises_sends_everything_and_then_raises(cluster: EmbeddedCluster) -> None:
    producer = begun(cluster)
    before = stored(cluster)
    slow(cluster, 1.0)
    told: list[DeliveryFuture] = []
    producer.send("slow", b"under way")
    sent = [producer.send("slow", b"value", on_delivery=told.append) for _ in range(RECORDS)]
    producer.send("quick", b"value", on_delivery=fail)
    with pytest.raises(OwnError):
        producer.close(SECONDS)
    assert producer.closed
    assert len(producer) == 0
    assert stored(cluster) == before + 1 + RECORDS
    assert told == sent
    assert producer.close() == 0


def test_a_with_block_loses_nothing_to_a_callback_that_raises(cluster: EmbeddedCluster) -> None:
    before = stored(cluster)
    with pytest.raises(OwnError), begun(cluster) as producer:
        slow(cluster, 1.0)
        for _ in range(RECORDS):
            producer.send("slow", b"value")
        producer.send("quick", b"value", on_delivery=fail)
    assert stored(cluster) == before + 1 + RECORDS


def test_a_close_with_a_wrong_time_out_changes_nothing(cluster: EmbeddedCluster) -> None:
    producer = begun(cluster)
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            producer.close(wrong)
    assert not producer.closed
    assert producer.send("quick", b"value").result(SECONDS).topic == "quick"
    assert producer.close() == 0


def test_a_second_close_waits_for_the_first(cluster: EmbeddedCluster) -> None:
    producer = begun(cluster)
    slow(cluster, 1.0)
    sent = producer.send("slow", b"value")
    answers: list[int] = []
    first = threading.Thread(target=lambda: answers.append(producer.close(SECONDS)))
    first.start()
    eventually(lambda: producer.closed, "the producer is being closed")
    assert producer.close(SECONDS) == 0
    assert sent.done()
    assert sent.result().topic == "slow"
    first.join(SECONDS)
    assert answers == [0]


def test_a_hurried_close_shortens_the_one_under_way_and_both_tell_what_was_lost(cluster: EmbeddedCluster) -> None:
    producer = begun(cluster)
    with slow(cluster, SECONDS):
        sent = producer.send("slow", b"value")
        answers: list[int] = []
        first = threading.Thread(target=lambda: answers.append(producer.close(SECONDS)))
        first.start()
        eventually(lambda: producer.closed, "the producer is being closed")
        with Stopwatch() as watch:
            assert producer.close(0) == 1
        assert watch.seconds < SECONDS / 2
        assert isinstance(sent.exception(0), ClosedError)
        first.join(SECONDS)
    assert answers == [1]
    assert producer.close() == 0


def test_a_callback_may_close(cluster: EmbeddedCluster) -> None:
    producer = begun(cluster)
    slow(cluster, 0.5)
    producer.send("slow", b"value")
    answers: list[int] = []
    producer.send("quick", b"value", on_delivery=lambda _: answers.append(producer.close(SECONDS)))
    assert producer.close(SECONDS) == 0
    assert answers == [0]


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself SIGINT there")
def test_ctrl_c_in_close_gives_up_with_reports(cluster: EmbeddedCluster) -> None:
    def interrupt() -> None:
        eventually(lambda: producer.closed, "the producer is being closed")
        # It has begun; a little later it waits.
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    producer = begun(cluster)
    told: list[DeliveryFuture] = []
    interrupter = threading.Thread(target=interrupt)
    with slow(cluster, SECONDS):
        sent = producer.send("slow", b"value", on_delivery=told.append)
        with Stopwatch() as watch, pytest.raises(KeyboardInterrupt):
            interrupter.start()
            producer.close(SECONDS)
        interrupter.join(SECONDS)
    assert watch.seconds < SECONDS / 2
    assert told == [sent]
    assert isinstance(sent.exception(0), ClosedError)
    assert producer.close() == 1, "nobody has been told yet of the record that was lost"
    assert producer.close() == 0


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts sockets in /proc")
def test_forgotten_producers_go_with_their_callbacks(cluster: EmbeddedCluster) -> None:
    def sockets() -> int:
        gc.collect()
        # One that is closed meanwhile does not exist, and so is no socket.
        return sum(each.is_socket() for each in Path("/proc/self/fd").iterdir())

    def forget() -> None:
        producer = Producer[Any, Any](bootstrap_servers=cluster.bootstrap_servers)
        producer.send("quick", b"value", on_delivery=lambda _: None).result(SECONDS)

    forget()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        before = sockets()
        for _ in range(10):
            forget()
        eventually(lambda: sockets() <= before + 4, "the sockets of forgotten producers are closed")


def test_the_future_of_a_callback_is_equal_to_the_one_that_send_returned(cluster: EmbeddedCluster) -> None:
    pending: set[DeliveryFuture] = set()
    with begun(cluster) as producer:
        futures = [producer.send("quick", b"value", on_delivery=pending.discard) for _ in range(RECORDS)]
        pending.update(futures)
        assert len(pending) == RECORDS
        producer.flush(SECONDS)
        assert pending == set()
        assert futures[0] != futures[1]


def test_a_poll_without_limit_ends_when_another_thread_runs_the_last_callback(cluster: EmbeddedCluster) -> None:
    with begun(cluster) as producer:
        for _ in range(5):
            slow(cluster, 0.1)
            producer.send("slow", b"value", on_delivery=lambda _: None)
            poller = threading.Thread(target=producer.poll, args=(None,), daemon=True)
            poller.start()
            assert producer.flush(SECONDS) == 0
            poller.join(SECONDS)
            assert not poller.is_alive()


class Flushing:
    """An interceptor and a callback that flush on two threads at the same time, where they are let."""

    def __init__(self) -> None:
        self.meeting = threading.Barrier(2, timeout=1)
        self.is_armed = False
        self.flushed: list[str] = []
        self.producer: Producer[Any, Any] | None = None

    def on_acknowledgement(self, _metadata: object, _error: object) -> None:
        if self.is_armed and threading.current_thread().name == "interceptor":
            self._flush("interceptor")

    def on_delivery(self, _future: DeliveryFuture) -> None:
        self._flush("callback")

    def _flush(self, name: str) -> None:
        try:
            self.meeting.wait()
        except threading.BrokenBarrierError:
            self.flushed.append(name)
        assert self.producer is not None
        self.producer.flush(SECONDS)


def test_an_interceptor_and_a_callback_never_run_beside_each_other(cluster: EmbeddedCluster) -> None:
    flushing = Flushing()
    producer = flushing.producer = begun(cluster, interceptors=[flushing])
    producer.flush(SECONDS)
    first = producer.send("quick", b"value", on_delivery=flushing.on_delivery)
    second = producer.send("quick", b"value")
    eventually(lambda: first.done() and second.done(), "both are stored")
    flushing.is_armed = True
    threads = [
        threading.Thread(target=producer.poll, args=(SECONDS,), name="callback", daemon=True),
        threading.Thread(target=producer.flush, args=(SECONDS,), name="interceptor", daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert "callback" in flushing.flushed
    producer.close(SECONDS)


@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
def test_the_end_of_a_transaction_waits_for_a_callback_that_another_thread_runs(
    cluster: EmbeddedCluster, end: str
) -> None:
    producer = begun_transactional(cluster, end)
    entered, let_go, over = threading.Event(), threading.Event(), threading.Event()

    def callback(_future: DeliveryFuture) -> None:
        entered.set()
        assert let_go.wait(SECONDS)
        over.set()

    producer.begin_transaction()
    producer.send("quick", b"value", on_delivery=callback).result(SECONDS)
    poller = threading.Thread(target=producer.poll, args=(SECONDS,))
    poller.start()
    assert entered.wait(SECONDS)
    threading.Timer(0.3, let_go.set).start()
    getattr(producer, end)(SECONDS)
    assert over.is_set()
    poller.join(SECONDS)
    producer.close(SECONDS)


def begun_transactional(cluster: EmbeddedCluster, name: str) -> Producer[Any, Any]:
    producer = Producer[Any, Any](bootstrap_servers=cluster.bootstrap_servers, transactional_id=name)
    producer.init_transactions(SECONDS)
    return producer


def test_ctrl_c_in_a_block_says_what_the_end_waits_for(caplog: pytest.LogCaptureFixture) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker, caplog.at_level("WARNING", "kafkars"):
        with (
            pytest.raises(KeyboardInterrupt),
            Producer(bootstrap_servers=broker.bootstrap_servers, close_timeout_ms=300) as producer,
        ):
            producer.send("t", b"stored").result(SECONDS)
            broker.kill_node(1)
            lost = producer.send("t", b"lost")
            raise KeyboardInterrupt
        with pytest.raises(ClosedError):
            lost.result(0)
        eventually(
            lambda: [each for each in caplog.records if "interrupted; waits for records" in each.getMessage()],
            "the line comes",
        )
