"""Reads that are called before `stop()` and begin after it: they hand out nothing, which would not be committed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run
from tests.support.waiting import SECONDS

COUNT = 10

READS: dict[str, Callable[[Any, Any], Any]] = {
    "getone()": lambda consumer, _: consumer.getone(),
    "getone(partition)": lambda consumer, at: consumer.getone(at),
    "getmany()": lambda consumer, _: consumer.getmany(timeout_ms=100),
    "getmany(partition)": lambda consumer, at: consumer.getmany(at, timeout_ms=100),
    "anext()": lambda consumer, _: consumer.__anext__(),
}


async def gathered(stopping: Any, reading: Any) -> Any:
    return (await asyncio.gather(stopping, reading, return_exceptions=True))[1]


async def in_tasks(stopping: Any, reading: Any) -> Any:
    stop = asyncio.create_task(stopping)
    # A task whose exception is StopAsyncIteration says nothing of it.
    read = asyncio.create_task(asyncio.wait_for(reading, SECONDS))
    await stop
    return (await asyncio.gather(read, return_exceptions=True))[0]


async def in_turn(stopping: Any, reading: Any) -> Any:
    await stopping
    return (await asyncio.gather(reading, return_exceptions=True))[0]


@pytest.mark.parametrize("beside", [gathered, in_tasks, in_turn])
@pytest.mark.parametrize("name", READS)
def test_a_read_that_begins_after_stop_hands_out_nothing(
    library: Library, run: Run, name: str, beside: Callable[[Any, Any], Any]
) -> None:
    topic = library.broker.new_topic()
    group = library.group()

    async def test() -> None:
        await library.fill(topic, COUNT)
        consumer = library.consumer(topic, group_id=group)
        await consumer.start()
        # The others are in the buffer now.
        assert (await consumer.getone()).offset == 0
        outcome = await beside(consumer.stop(), READS[name](consumer, library.partition(topic)))
        expected = StopAsyncIteration if name == "anext()" else library.errors.ConsumerStoppedError
        assert isinstance(outcome, expected)
        successor = library.consumer(topic, group_id=group)
        await successor.start()
        assert (await successor.getone()).offset == 1
        await successor.stop()

    run(test)
