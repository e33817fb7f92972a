"""A member that was put out of its group tells its listener that partitions are lost, not that it gives them back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from kafkars.compat import kafka, kafka_3
from kafkars.testing import EmbeddedBroker

SECONDS = 20.0
SETTINGS: dict[str, Any] = {
    "group_id": "g",
    "heartbeat_interval_ms": 50,
    "enable_auto_commit": False,
}


def listener_of(face: Any, heard: list[tuple[str, int]], *, is_async: bool) -> Any:
    """A listener with all three methods, which tells what it heard and of how many partitions."""
    if is_async:

        class AsyncListener(face.AsyncConsumerRebalanceListener):  # type: ignore[misc]
            async def on_partitions_assigned(self, assigned: Any) -> None:
                heard.append(("assigned", len(assigned)))

            async def on_partitions_revoked(self, revoked: Any) -> None:
                heard.append(("revoked", len(revoked)))

            async def on_partitions_lost(self, lost: Any) -> None:
                heard.append(("lost", len(lost)))

        return AsyncListener()

    class Listener(face.ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_assigned(self, assigned: Any) -> None:
            heard.append(("assigned", len(assigned)))

        def on_partitions_revoked(self, revoked: Any) -> None:
            heard.append(("revoked", len(revoked)))

        def on_partitions_lost(self, lost: Any) -> None:
            heard.append(("lost", len(lost)))

    return Listener()


def poll_until(consumer: Any, is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        consumer.poll(50)


@pytest.mark.parametrize(
    ("face", "is_async", "expected"),
    [(kafka, False, "revoked"), (kafka_3, False, "lost"), (kafka_3, True, "lost")],
    ids=["2", "3", "3 with coroutines"],
)
def test_a_listener_hears_of_a_loss(face: Any, is_async: bool, expected: str) -> None:
    heard: list[tuple[str, int]] = []
    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = face.KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, **SETTINGS)
        consumer.subscribe(["t"], listener=listener_of(face, heard, is_async=is_async))
        poll_until(consumer, lambda: ("assigned", 1) in heard)
        with broker.intercept("Heartbeat", "ILLEGAL_GENERATION", times=1):
            poll_until(consumer, lambda: heard.count(("assigned", 1)) == 2)
        assert [each for each in heard if each[1]] == [("assigned", 1), (expected, 1), ("assigned", 1)]
        consumer.close()


def test_a_listener_without_a_method_for_losses_hears_of_a_revocation() -> None:
    heard: list[tuple[str, int]] = []

    class Listener(kafka_3.ConsumerRebalanceListener):
        def on_partitions_assigned(self, assigned: Any) -> None:
            heard.append(("assigned", len(assigned)))

        def on_partitions_revoked(self, revoked: Any) -> None:
            heard.append(("revoked", len(revoked)))

    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = kafka_3.KafkaConsumer(bootstrap_servers=broker.bootstrap_servers, **SETTINGS)
        consumer.subscribe(["t"], listener=Listener())
        poll_until(consumer, lambda: ("assigned", 1) in heard)
        with broker.intercept("Heartbeat", "ILLEGAL_GENERATION", times=1):
            poll_until(consumer, lambda: heard.count(("assigned", 1)) == 2)
        assert ("revoked", 1) in heard
        consumer.close()
