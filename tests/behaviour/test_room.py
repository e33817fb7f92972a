"""Room in `buffer_memory` is for those who wait for it, large records among them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import kafkars.aio
import pytest
from kafkars import Producer
from kafkars.errors import BufferFullError
from kafkars.testing import EmbeddedBroker

from tests.support.awaits import run
from tests.support.waiting import SECONDS, eventually

SETTINGS: dict[str, Any] = {"buffer_memory": 1_100_000, "max_block_ms": 10_000, "batch_size": 16_384}
LARGE = bytes(400_000)
SMALL = bytes(1_000)


@pytest.fixture
def slow() -> Iterator[EmbeddedBroker]:
    """A megabyte a second passes: a full buffer stays full."""
    with EmbeddedBroker(topics={"busy": 1, "idle": 1}) as broker:
        broker.slow_down(bytes_per_second=1_000_000)
        yield broker


@pytest.mark.parametrize("topic", ["busy", "idle"])
def test_a_large_record_enters_beside_small_ones_of_other_threads(slow: EmbeddedBroker, topic: str) -> None:
    ended = threading.Event()
    with Producer(bootstrap_servers=slow.bootstrap_servers, **SETTINGS) as producer:

        def send_on() -> None:
            while not ended.is_set():
                with suppress(BufferFullError):
                    producer.send("busy", SMALL)

        others = [threading.Thread(target=send_on) for _ in range(4)]
        for other in others:
            other.start()
        try:
            full = SETTINGS["buffer_memory"] - 2 * len(SMALL)
            eventually(lambda: producer.metrics()["buffer_used"] > full, "the buffer is full")
            for _ in range(2):
                producer.send(topic, LARGE)
        finally:
            ended.set()
            for other in others:
                other.join()
            slow.slow_down()
        assert producer.flush(SECONDS) == 0


@pytest.mark.parametrize("topic", ["busy", "idle"])
def test_a_large_record_enters_beside_small_ones_of_other_tasks(slow: EmbeddedBroker, topic: str) -> None:
    async def test() -> None:
        ended = False
        async with kafkars.aio.Producer(bootstrap_servers=slow.bootstrap_servers, **SETTINGS) as producer:

            async def send_on() -> None:
                while not ended:
                    await producer.enqueue("busy", SMALL)

            others = [asyncio.create_task(send_on()) for _ in range(4)]
            full = SETTINGS["buffer_memory"] - 2 * len(SMALL)
            await asyncio.to_thread(eventually, lambda: producer.metrics()["buffer_used"] > full, "the buffer is full")
            for _ in range(2):
                await producer.enqueue(topic, LARGE)
            ended = True
            slow.slow_down()
            await asyncio.gather(*others)
            assert await producer.flush(SECONDS) == 0

    run(test())


def test_who_gives_up_keeps_no_room_from_others(slow: EmbeddedBroker) -> None:
    async def test() -> None:
        async with kafkars.aio.Producer(bootstrap_servers=slow.bootstrap_servers, **SETTINGS) as producer:
            with slow.intercept("Produce", "delay", seconds=15.0, times=1):
                first = await producer.enqueue("busy", bytes(1_000_000))
                waits = asyncio.ensure_future(producer.enqueue("busy", LARGE))
                await asyncio.sleep(0.1)
                waits.cancel()
                # There is room for it now, with nobody in line before it.
                await asyncio.wait_for(producer.enqueue("idle", SMALL), 5.0)
            slow.slow_down()
            # What is delayed need not be waited for: it is sent again.
            slow.cut_connections()
            await first

    run(test())
