"""Reads that fail at once are coroutines, as those that wait: asyncio makes tasks of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.aiokafka_library import Library, Run

READS: dict[str, Callable[[Any], Any]] = {
    "getone": lambda consumer: consumer.getone(),
    "getmany": lambda consumer: consumer.getmany(),
    "next": lambda consumer: consumer.__anext__(),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_asyncio_waits_for_them(library: Library, run: Run, read: Callable[[Any], Any]) -> None:
    async def test() -> None:
        consumer = library.consumer(library.broker.new_topic())
        await consumer.start()
        await consumer.stop()
        task = asyncio.ensure_future(read(consumer))
        done, _ = await asyncio.wait([task])
        wanted = (library.module("errors").ConsumerStoppedError, StopAsyncIteration)
        assert isinstance(done.pop().exception(), wanted)

    run(test)
