"""After another `subscribe()` nothing more comes of a topic that is not subscribed to, though it was fetched."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import kafkars
import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.testing import EmbeddedBroker

SECONDS = 30.0


def topics_until(consumer: Any, is_over: Callable[[list[str]], bool]) -> list[str]:
    """The topics of the records that come."""
    found: list[str] = []
    deadline = time.monotonic() + SECONDS
    while not is_over(found):
        assert time.monotonic() < deadline, found
        found += [record.topic for records in consumer.poll(100).values() for record in records]
    return found


@pytest.mark.parametrize("library", [version_2, version_3], ids=["2", "3"])
def test_nothing_comes_of_it(library: ModuleType) -> None:
    with (
        EmbeddedBroker(topics={"before": 1, "after": 1}) as broker,
        kafkars.Producer(bootstrap_servers=broker.bootstrap_servers) as producer,
    ):
        for topic in ("before", "after"):
            for _ in range(20):
                producer.send(topic, b"value")
        producer.flush()
        consumer = library.KafkaConsumer(
            "before",
            bootstrap_servers=broker.bootstrap_servers,
            group_id="g",
            auto_offset_reset="earliest",
            max_poll_records=1,
            heartbeat_interval_ms=50,
        )
        assert topics_until(consumer, lambda found: len(found) == 2) == ["before"] * 2
        consumer.subscribe(["after"])
        assert topics_until(consumer, lambda found: len(found) == 3) == ["after"] * 3
        assert consumer.committed(library.TopicPartition("before", 0)) == 2
        # Subscribed to again at once, and once it is gone.
        consumer.subscribe(["before", "after"])
        consumer.subscribe(["after"])
        consumer.subscribe(["before", "after"])
        found = topics_until(consumer, lambda found: {"before", "after"} <= set(found))
        assert consumer.paused() == set()
        assert len(found) <= 38
        consumer.close()
