"""`unsubscribe()` does not wait for a broker that is gone."""

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


@pytest.mark.parametrize("library", [version_2, version_3], ids=["2", "3"])
@pytest.mark.parametrize("commits", [True, False])
def test_it_comes_back_soon(library: ModuleType, commits: bool) -> None:
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
        broker.kill_node(1)
        eventually(lambda: not consumer._engine.health().connected, "the end of the connection")
        began = time.monotonic()
        consumer.unsubscribe()
        assert time.monotonic() - began < SECONDS / 2
        assert consumer.assignment() == set()
        consumer.close(timeout_ms=0)
