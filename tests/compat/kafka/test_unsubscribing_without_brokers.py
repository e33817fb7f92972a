"""`unsubscribe()` does not wait for a broker that is gone, also if nobody has noticed that yet, or does not answer."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import kafkars
import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import Stopwatch, eventually

SECONDS = 20.0


def noticed(broker: EmbeddedBroker, consumer: version_2.KafkaConsumer) -> None:
    broker.kill_node(1)
    eventually(lambda: not consumer._engine.health().connected, "the end of the connection")


def just_now(broker: EmbeddedBroker, _consumer: version_2.KafkaConsumer) -> None:
    broker.kill_node(1)


def silent(broker: EmbeddedBroker, consumer: version_2.KafkaConsumer) -> None:
    broker.pause_node(1)
    assert consumer._engine.health().connected


@pytest.mark.parametrize("library", [version_2, version_3], ids=["2", "3"])
@pytest.mark.parametrize("commits", [True, False])
@pytest.mark.parametrize("goes", [noticed, just_now, silent])
def test_it_comes_back_soon(
    library: ModuleType, commits: bool, goes: Callable[[EmbeddedBroker, version_2.KafkaConsumer], None]
) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        with kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("t", b"value")
        consumer = library.KafkaConsumer(
            "t",
            bootstrap_servers=broker.bootstrap_servers,
            group_id="g",
            auto_offset_reset="earliest",
            enable_auto_commit=commits,
            consumer_timeout_ms=SECONDS * 1000,
        )
        next(consumer)
        goes(broker, consumer)
        with Stopwatch() as watch:
            consumer.unsubscribe()
        assert watch.seconds < SECONDS / 2
        assert consumer.assignment() == set()
        consumer.close(timeout_ms=0)
