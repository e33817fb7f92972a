"""Commits without waiting that are made faster than the coordinator answers: none of the newest is lost, memory has a
bound, and nothing else waits for them."""

from __future__ import annotations

import resource
import sys
from typing import Any

import pytest
from kafkars import Admin, Consumer, OffsetAndMetadata, Producer, TopicPartition
from kafkars.errors import BufferFullError, CommitFailedError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

PLACE = TopicPartition("topic", 0)
LIMIT = 100_000


def member(broker: EmbeddedBroker, **settings: Any) -> Consumer[bytes, bytes]:
    """A member that owns the topic, and has read its record."""
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("topic", b"value")
    given = {"group_id": "group", "auto_offset_reset": "earliest", "enable_auto_commit": False, **settings}
    consumer = Consumer(bootstrap_servers=broker.bootstrap_servers, **given)
    consumer.subscribe("topic")
    assert consumer.poll(SECONDS) is not None
    return consumer


@pytest.fixture
def broker() -> Any:
    with EmbeddedBroker(topics={"topic": 1}) as broker:
        yield broker


def peak_mib() -> int:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1024**2)


def test_the_newest_of_many_commits_counts(broker: EmbeddedBroker) -> None:
    before = peak_mib()
    with member(broker) as consumer, broker.intercept("OffsetCommit", "delay", seconds=0.5):
        for offset in range(3 * LIMIT):
            consumer.commit_async({PLACE: offset})
    with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="group") as other:
        assert other.committed(PLACE)[PLACE].offset == 3 * LIMIT - 1
    assert len(broker.requests("OffsetCommit")) < 100
    assert peak_mib() - before < 200


def test_too_many_commits_that_are_heard_of_are_refused_by_the_call(broker: EmbeddedBroker) -> None:
    heard: list[int] = []
    consumer = member(broker)
    made = 0
    with broker.intercept("OffsetCommit", "drop"):
        with pytest.raises(BufferFullError, match="commits wait for the coordinator already"):
            for made in range(2 * LIMIT):
                consumer.commit_async({PLACE: made}, callback=lambda offsets, _: heard.append(offsets[PLACE].offset))
        assert LIMIT <= made < 1.5 * LIMIT
        with pytest.raises(BufferFullError):
            consumer.commit({PLACE: 1}, timeout=SECONDS)
        consumer.close(timeout=1)
    assert heard == list(range(made))


def test_a_callback_hears_after_those_of_earlier_commits(broker: EmbeddedBroker) -> None:
    heard: list[tuple[str, Any]] = []

    def note(name: str) -> Any:
        return lambda _, error: heard.append((name, error))

    with member(broker) as consumer, broker.intercept("OffsetCommit", "delay", seconds=0.3, times=1):
        consumer.commit_async({PLACE: OffsetAndMetadata(1)}, callback=note("first"))
        consumer.commit_async({("other", 0): 1}, callback=note("of another"))
        consumer.commit_async({}, callback=note("of nothing"))
        consumer.commit_async({PLACE: OffsetAndMetadata(1)}, callback=note("last"))
    assert [name for name, _ in heard] == ["first", "of another", "of nothing", "last"]
    errors = [error for _, error in heard]
    assert errors[0] is errors[2] is errors[3] is None
    assert isinstance(errors[1], CommitFailedError)


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_who_commits_without_pause_hears_of_new_partitions(broker: EmbeddedBroker, protocol: str) -> None:
    with member(broker, metadata_max_age_ms=200, group_protocol=protocol) as consumer:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_partitions({"topic": 3})

        def has_all() -> bool:
            for _ in range(500):
                consumer.commit_async()
            consumer.poll(0)
            return len(consumer.assignment()) == 3

        eventually(has_all, "all partitions")
