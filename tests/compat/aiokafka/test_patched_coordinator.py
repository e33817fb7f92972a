"""Tracing wraps methods of a consumer's coordinator: what is committed goes through them."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

WRAPPED = ("commit_offsets", "fetch_committed_offsets")


class Traced:
    """Wraps the methods, and keeps what they were given."""

    def __init__(self, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.kind = library.module("consumer.group_coordinator").GroupCoordinator
        for name in WRAPPED:
            monkeypatch.setattr(self.kind, name, self.around(getattr(self.kind, name)))

    def around(self, method: Any) -> Any:
        assert inspect.iscoroutinefunction(method)

        async def traced(coordinator: Any, *arguments: Any) -> Any:
            given = arguments[-1]
            self.calls.append(
                (method.__name__, coordinator.group_id, dict(given) if hasattr(given, "items") else given)
            )
            return await method(coordinator, *arguments)

        return traced


def test_commits_go_through_the_coordinator(embedded: Library, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    topic, group = embedded.broker.new_topic(), embedded.group()
    partition, traced = embedded.partition(topic), Traced(embedded, monkeypatch)
    offset_of = embedded.module("structs").OffsetAndMetadata

    async def test() -> None:
        await embedded.fill(topic, 3)
        async with embedded.consumer(topic, group_id=group, enable_auto_commit=False) as consumer:
            await consumer.getone()
            await consumer.getone()
            await consumer.commit()
            await consumer.commit({partition: 1})
            await consumer.commit({partition: (1, "text")})
            assert await consumer.committed(partition) == 1

    run(test)
    assert traced.calls == [
        ("commit_offsets", group, {partition: offset_of(2, "")}),
        ("commit_offsets", group, {partition: offset_of(1, "")}),
        ("commit_offsets", group, {partition: offset_of(1, "text")}),
        ("fetch_committed_offsets", group, [partition]),
    ]


def test_the_last_automatic_commit_goes_through_the_coordinator(
    embedded: Library, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic, group = embedded.broker.new_topic(), embedded.group()
    partition, traced = embedded.partition(topic), Traced(embedded, monkeypatch)

    async def test() -> None:
        await embedded.fill(topic, 1)
        async with embedded.consumer(topic, group_id=group) as consumer:
            await consumer.getone()
        async with embedded.consumer(group_id=group) as consumer:
            assert await consumer.committed(partition) == 1

    run(test)
    assert [call[:2] for call in traced.calls] == [("commit_offsets", group), ("fetch_committed_offsets", group)]
    assert traced.calls[0][2][partition].offset == 1


@pytest.mark.parametrize("way", ["changed", "late", "swallowed"])
def test_what_is_in_between_decides(embedded: Library, run: Run, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """It may give other offsets, take its time, or leave the call out."""
    topic, group = embedded.broker.new_topic(), embedded.group()
    partition = embedded.partition(topic)
    kind = embedded.module("consumer.group_coordinator").GroupCoordinator
    original = kind.commit_offsets
    offset_of = embedded.module("structs").OffsetAndMetadata

    async def test() -> None:
        await embedded.fill(topic, 3)
        async with embedded.consumer(topic, group_id=group, enable_auto_commit=False) as consumer:
            await consumer.getone()
            await consumer.commit()
            await consumer.getone()

            async def between(coordinator: Any, assignment: Any, offsets: Any) -> None:
                assert assignment.all_consumed_offsets() == offsets
                if way == "changed":
                    await original(coordinator, assignment, {partition: offset_of(3, "text")})
                if way == "late":
                    await consumer.getone()
                    await original(coordinator, assignment, offsets)

            monkeypatch.setattr(kind, "commit_offsets", between)
            await consumer.commit()
            expected = {"changed": 3, "late": 2, "swallowed": 1}
            assert await consumer.committed(partition) == expected[way]

    run(test)


def test_a_coordinator_is_told_the_settings(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        settings = {"session_timeout_ms": 7000, "heartbeat_interval_ms": 700, "retry_backoff_ms": 70}
        others = {"auto_commit_interval_ms": 77, "max_poll_interval_ms": 77_000, "group_instance_id": "instance"}
        async with embedded.consumer(topic, group_id=embedded.group(), **settings, **others) as consumer:
            coordinator = consumer._coordinator
            for name, value in settings.items():
                assert getattr(coordinator, f"_{name}") == value
            assert coordinator._auto_commit_interval_ms == 77
            assert coordinator._max_poll_interval == 77
            assert coordinator._rebalance_timeout_ms == 7000
            assert coordinator._group_instance_id == "instance"
            assert coordinator._enable_auto_commit
            assert coordinator._exclude_internal_topics
            assert [assignor.name for assignor in coordinator._assignors] == ["roundrobin"]

    run(test)
