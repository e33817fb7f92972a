"""aiokafka and its face behind one set of names."""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Callable, Coroutine
from types import ModuleType
from typing import Any

from tests.brokers import Broker

NUMBERS = itertools.count(1)


class Library:
    """Modules of one of the two by the names they have in aiokafka, and clients of the broker of the test."""

    def __init__(self, root: str, broker: Broker) -> None:
        self.is_face = root != "aiokafka"
        self.root = root
        self.broker = broker

    def module(self, name: str = "") -> ModuleType:
        return importlib.import_module(f"{self.root}.{name}" if name else self.root)

    @property
    def errors(self) -> Any:
        return self.module("errors")

    def partition(self, topic: str, number: int = 0) -> Any:
        return self.module().TopicPartition(topic, number)

    def consumer(self, *topics: str, **settings: Any) -> Any:
        settings.setdefault("bootstrap_servers", self.broker.bootstrap_servers)
        settings.setdefault("auto_offset_reset", "earliest")
        return self.module().AIOKafkaConsumer(*topics, **settings)

    def producer(self, **settings: Any) -> Any:
        settings.setdefault("bootstrap_servers", self.broker.bootstrap_servers)
        return self.module().AIOKafkaProducer(**settings)

    async def fill(self, topic: str, count: int, partitions: int = 1) -> None:
        """Records `v0`, `v1`, ... in turn over the partitions, in their order."""
        async with self.producer() as producer:
            for number in range(count):
                await producer.send_and_wait(
                    topic, b"v%d" % number, b"k%d" % number, number % partitions, 1000 + number
                )

    def group(self) -> str:
        return f"aiokafka-{os.getpid()}-{next(NUMBERS)}"


Run = Callable[[Callable[[], Coroutine[Any, Any, None]]], None]
"""Runs a test on a loop of its own, and not for ever."""
