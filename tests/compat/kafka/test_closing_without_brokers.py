"""`close()` keeps its time limit and ends soon where no broker answers, also if its connection has not ended yet."""

from __future__ import annotations

import time
from types import ModuleType

import kafkars
import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import eventually

SECONDS = 20.0


@pytest.fixture(params=[version_2, version_3], ids=["2", "3"])
def library(request: pytest.FixtureRequest) -> ModuleType:
    assert isinstance(request.param, ModuleType)
    return request.param


def with_a_record(library: ModuleType, broker: EmbeddedBroker) -> version_2.KafkaConsumer:
    """A member of a group that has read a record whose position is to be committed."""
    with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("t", b"value")
    consumer: version_2.KafkaConsumer = library.KafkaConsumer(
        "t",
        bootstrap_servers=broker.bootstrap_servers,
        group_id="g",
        auto_offset_reset="earliest",
        consumer_timeout_ms=SECONDS * 1000,
    )
    next(consumer)
    return consumer


def seconds_to_close(consumer: version_2.KafkaConsumer, timeout_ms: float | None = None) -> float:
    began = time.monotonic()
    consumer.close(timeout_ms=timeout_ms)
    return time.monotonic() - began


def test_the_limit_is_one_for_commit_and_leaving(library: ModuleType) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = with_a_record(library, broker)
        broker.kill_node(1)
        eventually(lambda: not consumer._engine.health().connected, "the end of the connection")
        assert seconds_to_close(consumer, timeout_ms=5000) < 9


def test_a_broker_that_has_fallen_silent_is_not_waited_for(library: ModuleType) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = with_a_record(library, broker)
        broker.pause_node(1)
        assert consumer._engine.health().connected
        assert seconds_to_close(consumer) < SECONDS / 2
