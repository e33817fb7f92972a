"""`start()` and the listener of the first join: each in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import SECONDS

Heard = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """What a listener does of which only the other method counts."""


def subscribed(library: Library, topic: str, *, revoked: Heard = nothing, assigned: Heard = nothing) -> Any:
    """A consumer whose listener does this."""

    class Listener(library.module().ConsumerRebalanceListener):  # type: ignore[misc, name-defined]
        async def on_partitions_revoked(self, _: Any) -> None:
            await revoked()

        async def on_partitions_assigned(self, _: Any) -> None:
            await assigned()

    consumer = library.consumer(group_id=library.group())
    consumer.subscribe([topic], listener=Listener())
    return consumer


def test_a_listener_may_wait_for_what_follows_start(library: Library, run: Run) -> None:
    topic, heard = library.broker.new_topic(), []

    async def test() -> None:
        await library.fill(topic, 1)
        ready = asyncio.Event()

        async def assigned() -> None:
            heard.append("assigned")
            await ready.wait()
            heard.append("goes on")

        consumer = subscribed(library, topic, assigned=assigned)
        await consumer.start()
        assert heard == ["assigned"]
        assert consumer.assignment() == {library.partition(topic)}
        ready.set()
        assert (await consumer.getone()).value == b"v0"
        await consumer.stop()
        assert heard == ["assigned", "goes on"]

    run(test)


def test_a_start_that_is_given_up_gives_up_nothing_else(library: Library, run: Run) -> None:
    """The listener goes on, the consumer joins and reads."""
    topic, heard = library.broker.new_topic(), []

    async def test() -> None:
        await library.fill(topic, 1)
        begun, ready = asyncio.Event(), asyncio.Event()

        async def revoked() -> None:
            begun.set()
            await ready.wait()
            heard.append("revoked")

        async def assigned() -> None:
            heard.append("assigned")

        consumer = subscribed(library, topic, revoked=revoked, assigned=assigned)
        starting = asyncio.ensure_future(consumer.start())
        await begun.wait()
        starting.cancel()
        await asyncio.wait_for(asyncio.wait([starting]), SECONDS)
        assert starting.cancelled()
        ready.set()
        assert (await consumer.getone()).value == b"v0"
        assert heard == ["revoked", "assigned"]
        await consumer.stop()

    run(test)


def test_listeners_run_in_another_task_than_start(embedded: Library, run: Run) -> None:
    topic = embedded.broker.new_topic()

    async def test() -> None:
        mine, tasks = asyncio.current_task(), []

        async def heard() -> None:
            tasks.append(asyncio.current_task())

        consumer = subscribed(embedded, topic, revoked=heard, assigned=heard)
        await consumer.start()
        await consumer.stop()
        assert len(tasks) == 2
        assert mine not in tasks

    run(test)


def test_a_stop_waits_for_the_listener_that_runs(embedded: Library, run: Run) -> None:
    topic, heard = embedded.broker.new_topic(), []

    async def test() -> None:
        begun, ready = asyncio.Event(), asyncio.Event()

        async def revoked() -> None:
            begun.set()
            await ready.wait()
            heard.append("revoked")

        consumer = subscribed(embedded, topic, revoked=revoked)
        starting = asyncio.ensure_future(consumer.start())
        await begun.wait()
        stopping = asyncio.ensure_future(consumer.stop())
        asyncio.get_running_loop().call_later(0.1, ready.set)
        await stopping
        assert heard == ["revoked"]
        starting.cancel()
        await asyncio.wait([starting])

    run(test)


def test_what_is_paused_before_start_is_paused_then(embedded: Library, run: Run) -> None:
    topics = [embedded.broker.new_topic() for _ in range(2)]
    partitions = [embedded.partition(topic) for topic in topics]

    async def test() -> None:
        for topic in topics:
            await embedded.fill(topic, 1)
        consumer = embedded.consumer()
        consumer.assign(partitions)
        consumer.pause(partitions[0])
        await consumer.start()
        assert consumer.paused() == {partitions[0]}
        assert (await consumer.getone()).topic == topics[1]
        await consumer.stop()

    run(test)
