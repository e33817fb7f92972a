"""A leader is killed: how long until each client's records are acknowledged again, side by side in the same
accident."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections import deque
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import confluent_kafka
import kafkars
import pytest

from tests.support.java_tools import command
from tests.support.waiting import eventually

if TYPE_CHECKING:
    from collections.abc import Callable

    from kafkars import DeliveryFuture

    from tests.chaos.cluster import ChaosCluster
    from tests.chaos.scale import Scale

pytestmark = [pytest.mark.kafka, pytest.mark.chaos, pytest.mark.timeout(600)]

log = logging.getLogger(__name__)

PROGRAM = Path(__file__).with_name("Producing.java")
PAUSE = 0.02
SECONDS = 60.0


class Sending:
    """One client that sends a record every 20 ms. Notes when each that was acknowledged had been sent, and when that
    was."""

    name = ""

    def __init__(self, bootstrap_servers: str, topic: str) -> None:
        self.acknowledged: list[tuple[float, float]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(bootstrap_servers, topic), daemon=True)

    def __enter__(self) -> Sending:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(30)

    def back_after(self, killed_at: float) -> float | None:
        """Seconds from the kill to the first acknowledgement of a record that was sent after it."""
        back = [at for sent, at in list(self.acknowledged) if sent > killed_at]
        return back[0] - killed_at if back else None

    def _run(self, bootstrap_servers: str, topic: str) -> None:
        raise NotImplementedError


class Kafkars(Sending):
    """Ours."""

    name = "kafkars"
    settings: dict[str, Any] = {}  # noqa: RUF012  set by subclasses

    def _run(self, bootstrap_servers: str, topic: str) -> None:
        waiting: deque[tuple[float, DeliveryFuture]] = deque()
        with kafkars.Producer(bootstrap_servers=bootstrap_servers, **self.settings) as producer:
            while not self._ended.wait(PAUSE):
                waiting.append((time.time(), producer.send(topic, b"kafkars")))
                while waiting and waiting[0][1].done():
                    sent, future = waiting.popleft()
                    if future.exception() is None:
                        self.acknowledged.append((sent, time.time()))


class Patient(Kafkars):
    """Ours with the pauses that librdkafka has between connections: they must not hold a failover up."""

    name = "kafkars, reconnect_backoff_max_ms=10000"
    settings = {"reconnect_backoff_max_ms": 10_000}  # noqa: RUF012


class Confluent(Sending):
    """librdkafka."""

    name = "confluent-kafka"

    def _run(self, bootstrap_servers: str, topic: str) -> None:
        producer = confluent_kafka.Producer({"bootstrap.servers": bootstrap_servers, "log_level": 0})
        while not self._ended.wait(PAUSE):
            sent = time.time()
            producer.produce(topic, b"confluent", on_delivery=lambda error, _, sent=sent: self._note(error, sent))
            producer.poll(0)
        producer.flush(10)

    def _note(self, error: object, sent: float) -> None:
        if error is None:
            self.acknowledged.append((sent, time.time()))


class Java(Sending):
    """Kafka's own."""

    name = "java"

    def _run(self, bootstrap_servers: str, topic: str) -> None:
        with subprocess.Popen(
            command(str(PROGRAM), [bootstrap_servers, topic]),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            threading.Thread(target=lambda: (self._ended.wait(), process.kill()), daemon=True).start()
            assert process.stdout is not None
            for line in process.stdout:
                sent, at = line.split()
                self.acknowledged.append((int(sent) / 1_000, int(at) / 1_000))


CLIENTS: list[Callable[[str, str], Sending]] = [Kafkars, Patient, Confluent, Java]


def test_after_a_kill_of_the_leader_nobody_is_back_earlier(cluster: ChaosCluster, scale: Scale) -> None:
    seconds: dict[str, list[float]] = {}
    for _ in range(scale.failovers):
        topic = cluster.new_topic("failover")
        with ExitStack() as stack:
            clients = [stack.enter_context(make(cluster.direct, topic)) for make in CLIENTS]
            for client in clients:
                eventually(lambda c=client: len(c.acknowledged) >= 50, f"{client.name} to be at work", SECONDS)
            leader = cluster.kafka.leader(topic)
            leader.kill()
            killed_at = time.time()
            for client in clients:
                back = eventually(lambda c=client, at=killed_at: c.back_after(at), f"{client.name} to be back", SECONDS)
                seconds.setdefault(client.name, []).append(back)
        cluster.heal()
        cluster.kafka.wait_in_sync(topic)
    for name, found in seconds.items():
        log.info("%s: back after %s s", name, ", ".join(f"{each:.2f}" for each in found))
    for number in range(scale.failovers):
        theirs = min(seconds[Confluent.name][number], seconds[Java.name][number])
        for ours in (Kafkars.name, Patient.name):
            assert seconds[ours][number] <= theirs + scale.chance_seconds, seconds
