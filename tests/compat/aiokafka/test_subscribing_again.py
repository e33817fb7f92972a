"""`subscribe()` again while what was subscribed to before is still on its way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

TICKS = range(6)
"""Iterations of the loop from the answer of the broker to the assignment."""


async def until(look: Any) -> None:
    while not look():  # noqa: ASYNC110  the libraries tell nobody
        await asyncio.sleep(0)


def asked(library: Library, api: str, client: str) -> int:
    """How often a client has asked; the broker keeps the latest requests of all."""
    return len(library.broker.handle.requests(api, client_id=client))


def subscribe(consumer: Any, kind: str, topic: str) -> None:
    """Subscribes to one topic; patterns are never the same."""
    if kind == "topics":
        consumer.subscribe([topic])
    else:
        consumer.subscribe(pattern=f"{topic}$" if consumer.subscription() else f"^{topic}$")


@pytest.mark.parametrize("has_group", [True, False], ids=["member", "alone"])
@pytest.mark.parametrize("what", ["same", "other"])
@pytest.mark.parametrize("kind", ["topics", "pattern"])
def test_start_ends_though_another_task_subscribes_meanwhile(
    face: Library, run: Run, kind: str, what: str, has_group: bool
) -> None:
    topic, other = face.broker.new_topic(partitions=2), face.broker.new_topic()
    wanted = topic if what == "same" else other

    async def test() -> None:
        await face.fill(topic, 1)
        await face.fill(other, 1)
        group = face.group() if has_group else None
        consumer = face.consumer(group_id=group, heartbeat_interval_ms=100, client_id=topic)
        subscribe(consumer, kind, topic)
        api = "JoinGroup" if has_group else "Metadata"
        starts = asyncio.ensure_future(consumer.start())
        await until(lambda: asked(face, api, topic))
        subscribe(consumer, kind, wanted)
        await starts
        # What a pattern has found is read until it is known what the next one finds.
        while (await consumer.getone()).topic != wanted:
            assert kind == "pattern"
        assert {partition.topic for partition in consumer.assignment()} == {wanted}
        await consumer.stop()

    run(test)


@pytest.mark.parametrize("when", ["starting", "started"])
@pytest.mark.parametrize("ticks", TICKS)
def test_a_pattern_again_when_the_assignment_arrives(face: Library, run: Run, when: str, ticks: int) -> None:
    topic = face.broker.new_topic(partitions=2)

    async def test() -> None:
        await face.fill(topic, 1)
        consumer = face.consumer(group_id=face.group(), heartbeat_interval_ms=100, client_id=topic)
        if when == "started":
            await consumer.start()
        before = asked(face, "SyncGroup", topic)
        subscribe(consumer, "pattern", topic)
        starts = asyncio.ensure_future(consumer.start() if when == "starting" else asyncio.sleep(0))
        await until(lambda: asked(face, "SyncGroup", topic) > before)
        for _ in range(ticks):
            await asyncio.sleep(0)
        subscribe(consumer, "pattern", topic)
        await starts
        assert (await consumer.getone()).topic == topic
        assert len(consumer.assignment()) == 2
        await consumer.stop()

    run(test)


def test_subscriptions_that_others_replace_leave_no_tasks(face: Library, run: Run) -> None:
    """The original joins for each of them, one after the other."""
    topics = [face.broker.new_topic() for _ in range(2)]

    async def test() -> None:
        await face.fill(topics[1], 1)
        consumer = face.consumer(topics[0], group_id=face.group(), heartbeat_interval_ms=100)
        await consumer.start()
        before = len(asyncio.all_tasks())
        for number in range(20):
            consumer.subscribe([topics[number % 2]])
            await asyncio.sleep(0)
        assert (await consumer.getone()).topic == topics[1]
        assert len(asyncio.all_tasks()) <= before + 2
        await consumer.stop()

    run(test)


@pytest.mark.parametrize("topics", [b"abc", range(2), "abc", 5], ids=["bytes", "numbers", "text", "number"])
def test_what_is_no_list_of_names_is_refused_at_once(embedded: Library, run: Run, topics: Any) -> None:
    async def test() -> None:
        async with embedded.consumer(group_id=embedded.group()) as consumer:
            with pytest.raises(TypeError):
                consumer.subscribe(topics)
            assert not consumer.subscription()

    run(test)


@pytest.mark.parametrize("topics", [[1], [None], [b"name"]], ids=["number", "none", "bytes"])
def test_names_are_text(face: Library, run: Run, topics: Any) -> None:
    """The original takes them, and then cannot join."""

    async def test() -> None:
        async with face.consumer(group_id=face.group()) as consumer:
            with pytest.raises(TypeError):
                consumer.subscribe(topics)

    run(test)


def test_listeners_hear_of_sets(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic(partitions=2)
    heard: list[tuple[str, type, int]] = []

    class Listener(embedded.module("abc").ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        def on_partitions_revoked(self, revoked: Any) -> None:
            heard.append(("revoked", type(revoked), len(revoked)))

        def on_partitions_assigned(self, assigned: Any) -> None:
            heard.append(("assigned", type(assigned), len(assigned)))

    async def test() -> None:
        await embedded.fill(topic, 2)
        async with embedded.consumer(group_id=embedded.group(), heartbeat_interval_ms=100) as consumer:
            for _ in range(2):
                consumer.subscribe([topic], listener=Listener())
                heard.clear()
                await until(lambda: len(heard) == 2)
                await consumer.getone()
        assert heard == [("revoked", frozenset, 2), ("assigned", set, 2)]

    run(test)
