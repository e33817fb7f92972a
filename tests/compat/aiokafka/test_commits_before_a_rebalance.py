"""Automatic commits before a rebalance: whoever hears of the revocation finds them made."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

RECORDS = 3
NEVER_MS = 3_600_000
"""Automatic commits are made before a rebalance, and not within a test."""


@pytest.mark.parametrize("way", ["other topics", "the same topics", "another member"])
@pytest.mark.parametrize("automatic", [True, False], ids=["automatic", "by the program"])
def test_what_was_read_is_committed_before_the_listener_hears_of_it(
    library: Library, run: Run, way: str, automatic: bool
) -> None:
    topic, other, group = library.broker.new_topic(), library.broker.new_topic(), library.group()
    partition = library.partition(topic)
    seen: list[Any] = []

    async def test() -> None:
        await library.fill(topic, RECORDS)
        settings = {
            "group_id": group,
            "enable_auto_commit": automatic,
            "auto_commit_interval_ms": NEVER_MS,
            "heartbeat_interval_ms": 100,
        }
        consumer = library.consumer(**settings)

        class Listener(library.module().ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
            async def on_partitions_revoked(self, revoked: Any) -> None:
                if revoked:
                    seen.append(await consumer.committed(partition))

            async def on_partitions_assigned(self, _: Any) -> None:
                pass

        consumer.subscribe([topic], listener=Listener())
        async with consumer:
            for _ in range(RECORDS):
                await consumer.getone()
            if way == "another member":
                async with library.consumer(topic, **settings):
                    pass
            else:
                consumer.subscribe([topic, other] if way == "other topics" else [topic], listener=Listener())
                while not seen:
                    await consumer.getmany(timeout_ms=50)
        assert seen[0] == (RECORDS if automatic else None)

    run(test)
