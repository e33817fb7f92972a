"""Callbacks of one client where several threads make the calls that run them: one at a time, in order, and done when
the call that waits for them says so. `KAFKARS_CALLBACK_HISTORIES` says how many histories, `KAFKARS_SEED` where they
begin.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafkars import Consumer, Producer
from kafkars.compat import confluent_kafka
from kafkars.errors import ClosedError
from kafkars.testing import EmbeddedBroker
from kafkars.types import TopicPartition

from tests.support.waiting import SECONDS, eventually

HISTORIES = int(os.environ.get("KAFKARS_CALLBACK_HISTORIES", "12"))
SEED = int(os.environ.get("KAFKARS_SEED", "1"))
PARTITIONS = 3
RECORDS = 150

Place = tuple[int, int]


@pytest.fixture
def cluster() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(topics={"t": PARTITIONS}) as broker:
        yield broker


class Native:
    """The engine's producer."""

    def __init__(self, cluster: EmbeddedBroker) -> None:
        self.producer: Producer[Any, Any] = Producer(bootstrap_servers=cluster.bootstrap_servers)
        self.poll = self.producer.poll
        self.flush = self.producer.flush

    def send(self, partition: int, heard: Callable[[Place], None]) -> None:
        def on_delivery(future: Any) -> None:
            metadata = future.result(0)
            heard((metadata.partition, metadata.offset))

        self.producer.send("t", b"value", partition=partition, on_delivery=on_delivery)

    def close(self) -> None:
        self.producer.close(SECONDS)


class Confluent:
    """The producer of the face of confluent_kafka."""

    def __init__(self, cluster: EmbeddedBroker) -> None:
        self.producer: Any = confluent_kafka.Producer({"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0})
        self.poll = self.producer.poll
        self.flush = self.producer.flush

    def send(self, partition: int, heard: Callable[[Place], None]) -> None:
        def on_delivery(error: Any, message: Any) -> None:
            assert error is None, error
            heard((message.partition(), message.offset()))

        self.producer.produce("t", b"value", partition=partition, on_delivery=on_delivery)

    def close(self) -> None:
        self.producer.flush(SECONDS)


FLAVOURS = {"native": Native, "confluent": Confluent}


@pytest.fixture(params=sorted(FLAVOURS))
def client(request: pytest.FixtureRequest, cluster: EmbeddedBroker) -> Iterator[Any]:
    made = FLAVOURS[request.param](cluster)
    yield made
    made.close()


class Blocked:
    """A callback that another thread is in until it is let go."""

    def __init__(self, poll: Callable[[float], object]) -> None:
        self.entered, self.let_go = threading.Event(), threading.Event()
        self.is_over = False
        self._poll = poll
        self._thread = threading.Thread(target=self._run)

    def begin(self) -> None:
        self._thread.start()
        assert self.entered.wait(SECONDS)

    def _run(self) -> None:
        deadline = time.monotonic() + SECONDS
        try:
            while not self.entered.is_set() and time.monotonic() < deadline:
                self._poll(0.05)
        except ClosedError:
            # By a close() that has waited for the callback, and for this poll no longer.
            assert self.is_over

    def __call__(self, *_: object) -> None:
        self.entered.set()
        assert self.let_go.wait(SECONDS)
        self.is_over = True

    def end(self) -> None:
        self.let_go.set()
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()


def test_a_flush_waits_for_a_callback_that_another_thread_runs(client: Any) -> None:
    blocked = Blocked(client.poll)
    client.send(0, blocked)
    blocked.begin()
    assert client.flush(0.05) == 1
    found: list[tuple[int, bool]] = []
    flusher = threading.Thread(target=lambda: found.append((client.flush(SECONDS), blocked.is_over)))
    flusher.start()
    blocked.end()
    flusher.join(SECONDS)
    assert found == [(0, True)]


def test_a_poll_beside_a_callback_runs_none(client: Any) -> None:
    blocked = Blocked(client.poll)
    client.send(0, blocked)
    blocked.begin()
    heard: list[Place] = []
    client.send(0, heard.append)
    assert client.poll(0.05) == 0
    assert heard == []
    blocked.end()
    assert client.flush(SECONDS) == 0
    assert heard == [(0, 1)]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")
def test_a_signal_ends_the_wait_for_another_threads_callback(client: Any) -> None:
    class SignalledError(Exception):
        pass

    def raise_it(*_: object) -> None:
        raise SignalledError

    blocked = Blocked(client.poll)
    client.send(0, blocked)
    blocked.begin()
    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        with pytest.raises(SignalledError):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            client.flush(SECONDS)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        blocked.end()


def test_a_close_waits_for_a_callback_that_another_thread_runs(cluster: EmbeddedBroker) -> None:
    producer: Producer[Any, Any] = Producer(bootstrap_servers=cluster.bootstrap_servers)
    blocked = Blocked(producer.poll)
    producer.send("t", b"value", on_delivery=blocked)
    blocked.begin()
    found: list[tuple[int, bool]] = []
    closer = threading.Thread(target=lambda: found.append((producer.close(SECONDS), blocked.is_over)))
    closer.start()
    eventually(lambda: producer.closed, "the close has begun")
    blocked.end()
    closer.join(SECONDS)
    assert found == [(0, True)]


@pytest.mark.parametrize("call", ["poll", "flush", "send"])
def test_a_callback_may_call_its_client_while_another_thread_waits_for_it(client: Any, call: str) -> None:
    heard: list[Place] = []

    def nested(place: Place) -> None:
        heard.append(place)
        if place[1] >= 20:
            return
        if call == "send":
            client.send(place[0], nested)
        elif call == "flush":
            # In confluent_kafka the callback's own message still counts.
            client.flush(0.01)
        else:
            client.poll(0)

    for _ in range(20):
        client.send(0, nested)
    poller = threading.Thread(target=lambda: [client.poll(0.01) for _ in range(50)])
    poller.start()
    eventually(lambda: client.flush(SECONDS) == 0 and len(heard) >= 20, "all callbacks have run")
    poller.join(SECONDS)
    assert heard == sorted(heard)


class History:
    """Threads that send, poll and flush at random, and what their callbacks saw."""

    def __init__(self, client: Any, seed: int) -> None:
        self.client, self.seed = client, seed
        self.begun: list[Place] = []
        self.ended: list[Place] = []
        self.problems: list[str] = []
        self._inside: set[int] = set()

    def run(self) -> None:
        threads = [threading.Thread(target=self._work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(4 * SECONDS)
            assert not thread.is_alive()

    def _heard(self, place: Place, mine: list[Place]) -> None:
        me = threading.get_ident()
        self._inside.add(me)
        self.begun.append(place)
        # Other threads have their chance.
        for _ in range(50):
            pass
        if self._inside != {me}:
            self.problems.append("two callbacks at a time")
        self.ended.append(place)
        mine.append(place)
        self._inside.discard(me)

    def _work(self, number: int) -> None:
        source = random.Random(f"{self.seed} {number}")
        mine: list[Place] = []
        for sent in range(1, RECORDS + 1):
            self.client.send(source.randrange(PARTITIONS), lambda place: self._heard(place, mine))
            choice = source.random()
            if choice < 0.2:
                self.client.poll(source.choice([0, 0, 0.0005]))
            elif choice < 0.3 and self.client.flush(SECONDS) == 0 and len(mine) != sent:
                self.problems.append(f"{len(mine)} of {sent} callbacks have run after flush()")


@pytest.mark.parametrize("seed", range(SEED, SEED + HISTORIES))
def test_histories_of_threads_that_send_poll_and_flush(client: Any, seed: int) -> None:
    history = History(client, seed)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        history.run()
    finally:
        sys.setswitchinterval(before)
    assert client.flush(SECONDS) == 0
    assert history.problems == []
    assert history.begun == history.ended
    assert len(history.ended) == 3 * RECORDS
    for partition in range(PARTITIONS):
        offsets = [offset for place, offset in history.ended if place == partition]
        assert offsets == list(range(len(offsets)))


def test_callbacks_of_commits_run_in_order_and_one_at_a_time(cluster: EmbeddedBroker) -> None:
    commits = 200
    heard: list[int] = []
    inside: set[int] = set()
    problems: list[str] = []

    def committed(offsets: Any, problem: object) -> None:
        me = threading.get_ident()
        inside.add(me)
        if problem is not None or inside != {me}:
            problems.append(f"{problem} {inside}")
        for _ in range(50):
            pass
        heard.append(offsets[TopicPartition("t", 0)].offset)
        inside.discard(me)

    with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="g", enable_auto_commit=False) as consumer:
        consumer.assign([("t", 0)])
        threads = [
            threading.Thread(target=lambda: [consumer.poll(0.002) for _ in range(300) if len(heard) < commits])
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for number in range(1, commits + 1):
            consumer.commit_async({("t", 0): number}, callback=committed)
        for thread in threads:
            thread.join(SECONDS)
        eventually(lambda: consumer.poll(0.01) is None and len(heard) == commits, "every callback has run")
    assert not problems
    assert heard == list(range(1, commits + 1))


def test_a_consumers_close_waits_for_a_callback_that_another_thread_runs(cluster: EmbeddedBroker) -> None:
    consumer: Consumer[Any, Any] = Consumer(
        bootstrap_servers=cluster.bootstrap_servers, group_id="g", enable_auto_commit=False
    )
    consumer.assign([("t", 0)])
    blocked = Blocked(consumer.poll)
    consumer.commit_async({("t", 0): 1}, callback=blocked)
    blocked.begin()
    found: list[bool] = []

    def close() -> None:
        consumer.close(SECONDS)
        found.append(blocked.is_over)

    closer = threading.Thread(target=close)
    closer.start()
    closer.join(0.1)
    assert found == []
    blocked.end()
    closer.join(SECONDS)
    assert found == [True]
