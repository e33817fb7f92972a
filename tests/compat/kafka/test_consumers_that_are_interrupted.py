"""Exceptions of the handlers of signals at any line of close(), and while the outcomes of commits are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from kafkars.compat.kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafkars.testing import EmbeddedBroker

from tests.compat.interrupting import LINES, MADE, Interrupt
from tests.compat.kafka.steps import polled
from tests.support.waiting import eventually

MODULES = ("consumer/group.py", "compat/_telling.py", "kafka/future.py")
PLACE = TopicPartition("topic", 0)

pytestmark = pytest.mark.parametrize("made", MADE.values(), ids=MADE)


@pytest.fixture
def new() -> Iterator[Callable[..., Any]]:
    """Makes a consumer of a group of its own that has read all of a topic."""
    groups = count(1)
    with EmbeddedBroker(topics={"topic": 1}) as broker:
        producer = KafkaProducer(bootstrap_servers=broker.bootstrap_servers)
        for _ in range(2):
            producer.send("topic", b"value")
        producer.close()

        def make(**settings: Any) -> Any:
            consumer = KafkaConsumer(
                bootstrap_servers=broker.bootstrap_servers,
                auto_offset_reset="earliest",
                auto_commit_interval_ms=600_000,
                **{"group_id": f"group-{next(groups)}", **settings},
            )
            if not settings.get("group_id"):
                consumer.assign([PLACE])
                assert len(polled(consumer, 2)) == 2
            return consumer

        yield make


def test_a_close_that_has_begun_commits(new: Callable[..., Any], made: Callable[[], BaseException]) -> None:
    for line in LINES:
        consumer = new()
        interrupt = Interrupt(line, made(), MODULES)
        is_interrupted = interrupt.is_raised_by(consumer.close)
        consumer.close()
        assert consumer._engine.closed
        asking = new(group_id=consumer.config["group_id"])
        assert asking.committed(PLACE) == 2, interrupt.where
        asking.close()
        if not is_interrupted:
            break
    assert line > 20, "it was interrupted"


def test_a_commit_is_told_once_and_its_future_done(new: Callable[..., Any], made: Callable[[], BaseException]) -> None:
    consumer = new(enable_auto_commit=False)
    for line in LINES:
        heard: list[Any] = []
        future = consumer.commit_async(callback=lambda *told, heard=heard: heard.append(told))

        def hear(heard: list[Any] = heard) -> None:
            eventually(lambda: consumer.poll(5) or heard, "the callback")

        interrupt = Interrupt(line, made(), MODULES)
        is_interrupted = interrupt.is_raised_by(hear)
        hear()
        consumer.poll(0)
        [(offsets, error)] = heard
        assert (offsets[PLACE].offset, error) == (2, None), interrupt.where
        assert future.succeeded(), interrupt.where
        assert not consumer._commits_under_way, interrupt.where
        if not is_interrupted:
            break
    assert line > 30, "it was interrupted"
    consumer.close()
