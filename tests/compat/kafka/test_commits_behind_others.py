"""A commit that waits behind one that is not answered has its own time."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from kafkars.compat import kafka as version_2
from kafkars.compat import kafka_3 as version_3
from kafkars.compat.kafka import errors
from kafkars.testing import EmbeddedBroker

SETTINGS: dict[str, Any] = {
    "group_id": "g",
    "request_timeout_ms": 4000,
    "session_timeout_ms": 1200,
    "heartbeat_interval_ms": 300,
    "enable_auto_commit": False,
}


@pytest.mark.parametrize("library", [version_2, version_3], ids=["2", "3"])
def test_a_commit_outlives_one_before_it_that_is_not_answered(library: ModuleType) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = library.KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, **SETTINGS)
        place = library.TopicPartition("t", 0)
        consumer.assign([place])
        consumer.commit({place: library.OffsetAndMetadata(1, "", -1)})
        with broker.intercept("OffsetCommit", "drop", times=1):
            future = consumer.commit_async({place: library.OffsetAndMetadata(2, "", -1)})
            consumer.commit({place: library.OffsetAndMetadata(3, "", -1)})
        assert consumer.committed(place) == 3
        consumer.poll(0)
        assert future.is_done
        consumer.close()


@pytest.mark.parametrize("library", [version_2, version_3], ids=["2", "3"])
def test_a_commit_with_a_time_ends_with_it(library: ModuleType) -> None:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = library.KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, **SETTINGS)
        place = library.TopicPartition("t", 0)
        consumer.assign([place])
        # Not only the first: where the committed offset is asked for behind it, an answer is missing on the connection,
        # which the consumer then gives up, and the next commit goes out on another one.
        with broker.intercept("OffsetCommit", "drop"):
            consumer.commit_async({place: library.OffsetAndMetadata(2, "", -1)})
            with pytest.raises(errors.KafkaTimeoutError):
                consumer.commit({place: library.OffsetAndMetadata(3, "", -1)}, timeout_ms=200)
        consumer.close(timeout_ms=0)
