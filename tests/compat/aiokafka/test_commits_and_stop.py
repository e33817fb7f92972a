"""What is committed while a consumer stops: by the program, by itself, and through what has taken the place of the
coordinator's method.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import SECONDS

RECORDS = 3
LONG_MS = 60_000
"""Longer than a test takes."""


async def stopped(consumer: Any, commit: Callable[[], Awaitable[None]]) -> None:
    """Makes a task of a commit, and stops in the same step, as what ends a program may."""
    committing = asyncio.ensure_future(commit())
    await consumer.stop()
    assert await committing is None


@pytest.mark.parametrize("way", ["plain", "within a time limit", "by offsets"])
def test_a_commit_that_was_asked_for_before_stop_is_made(library: Library, run: Run, way: str) -> None:
    """aiokafka recommends such a task to who does not wait for commits."""
    topic, group = library.broker.new_topic(), library.group()
    partition = library.partition(topic)

    async def test() -> None:
        await library.fill(topic, RECORDS)
        consumer = library.consumer(topic, group_id=group, enable_auto_commit=False)
        await consumer.start()
        for _ in range(RECORDS):
            await consumer.getone()
        ways: dict[str, Callable[[], Awaitable[None]]] = {
            "plain": consumer.commit,
            "within a time limit": lambda: asyncio.wait_for(consumer.commit(), SECONDS),
            "by offsets": lambda: consumer.commit({partition: RECORDS}),
        }
        await stopped(consumer, ways[way])
        assert await committed(library, group, partition) == RECORDS

    run(test)


async def committed(library: Library, group: str, partition: Any) -> int | None:
    async with library.consumer(group_id=group, enable_auto_commit=False) as consumer:
        found: int | None = await consumer.committed(partition)
        return found


@pytest.mark.parametrize("way", ["copied", "changed", "swallowed", "raising"])
def test_what_has_taken_the_place_of_the_method_decides_on_the_last_commit(
    library: Library, run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    """And the group is left: the next member need not wait for the end of a session."""
    topic, group = library.broker.new_topic(), library.group()
    partition = library.partition(topic)
    kind = library.module("consumer.group_coordinator").GroupCoordinator
    original = kind.commit_offsets
    offset_of = library.module("structs").OffsetAndMetadata

    async def between(coordinator: Any, assignment: Any, offsets: Any) -> None:
        match way:
            case "copied":
                await original(coordinator, assignment, dict(offsets))
            case "changed":
                await original(coordinator, assignment, {partition: offset_of(1, "text")})
            case "raising":
                raise library.errors.CommitFailedError

    async def test() -> None:
        await library.fill(topic, RECORDS)
        consumer = library.consumer(
            topic, group_id=group, auto_commit_interval_ms=LONG_MS, session_timeout_ms=LONG_MS // 2
        )
        await consumer.start()
        for _ in range(RECORDS):
            await consumer.getone()
        with monkeypatch.context() as patched:
            patched.setattr(kind, "commit_offsets", between)
            caplog.clear()
            await consumer.stop()
        assert any("commit" in record.message for record in caplog.records) == (way == "raising")
        expected = {"copied": RECORDS, "changed": 1}.get(way)
        assert await committed(library, group, partition) == expected
        async with library.consumer(topic, group_id=group) as next_one:
            assert next_one.assignment() == {partition}

    run(test)


def test_a_consumer_that_is_stopped_is_in_no_generation(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        async with embedded.consumer(topic, group_id=embedded.group()) as consumer:
            coordinator = consumer._coordinator
            assert coordinator.generation > 0
            assert coordinator.member_id
        assert (coordinator.generation, coordinator.member_id) == (-1, "")

    run(test)
