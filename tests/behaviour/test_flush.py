"""A flush waits for what was sent before it, and counts nothing else."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from kafkars import Producer
from kafkars.compat.kafka import KafkaProducer
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS

FLUSHES = 20


@pytest.mark.parametrize("make", [Producer, KafkaProducer], ids=["kafkars", "kafka-python"])
def test_what_other_threads_send_meanwhile_is_not_counted(make: Any) -> None:
    ended = threading.Event()
    with (
        EmbeddedBroker(topics={"own": 1, "other": 1}) as broker,
        make(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):

        def send_on() -> None:
            while not ended.is_set():
                producer.send("other", b"v")

        broker.slow_down(latency=0.01)
        others = [threading.Thread(target=send_on) for _ in range(3)]
        for other in others:
            other.start()
        try:
            for _ in range(FLUSHES):
                heard: list[object] = []
                future = producer.send("own", b"v")
                add = future.add_done_callback if make is Producer else future.add_callback
                add(heard.append)
                # kafka-python's raises where something is left.
                assert not producer.flush(SECONDS)
                assert len(heard) == 1
        finally:
            ended.set()
            for other in others:
                other.join()


def test_what_is_late_is_counted() -> None:
    with (
        EmbeddedBroker(topics={"t": 1}) as broker,
        Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        producer.send("t", b"v").result(SECONDS)
        broker.pause_node(1)
        for _ in range(5):
            producer.send("t", b"v")
        assert producer.flush(0.1) == 5
        broker.resume_node(1)
        assert producer.flush(SECONDS) == 0
