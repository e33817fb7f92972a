"""Threads that add callbacks to the same future at the same moment."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from kafkars.compat.kafka import KafkaProducer
from kafkars.testing import EmbeddedBroker

THREADS = 4
SECONDS = 4.0
"""As long as it is tried: it was found within two."""


@pytest.fixture
def impatient() -> Iterator[None]:
    """Threads take turns as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient")
def test_all_of_them_are_told() -> None:
    def add_and_wait(future: Any, together: threading.Barrier, heard: list[int], raised: list[BaseException]) -> None:
        together.wait()
        future.add_callback(lambda metadata: heard.append(metadata.offset))
        try:
            future.get(timeout=20)
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            raised.append(error)

    with EmbeddedBroker(topics={"t": 1}) as broker:
        broker.slow_down(latency=0.005)
        with KafkaProducer(bootstrap_servers=broker.bootstrap_servers) as producer:
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                future = producer.send("t", b"v")
                heard: list[int] = []
                raised: list[BaseException] = []
                given = (future, threading.Barrier(THREADS), heard, raised)
                threads = [threading.Thread(target=add_and_wait, args=given) for _ in range(THREADS)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                assert not raised
                assert future.value is not None
                assert heard == [future.value.offset] * THREADS
                assert not producer._reporter._watched
