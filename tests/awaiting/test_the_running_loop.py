"""A future belongs to the loop that runs where it is first waited for, which is looked up once per record."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kafkars import aio
from kafkars.testing import EmbeddedBroker

ROUNDS = 5


@pytest.fixture
def servers() -> Iterator[str]:
    with EmbeddedBroker(topics={"t": 1}) as broker:
        yield broker.bootstrap_servers


def run_on_its_own(main: Callable[[], Any]) -> Any:
    """Runs a coroutine on a new loop, also within a step of another one."""
    outer = asyncio._get_running_loop()
    task = outer and asyncio.current_task()
    asyncio._set_running_loop(None)
    if outer is not None and task is not None:
        asyncio.tasks._leave_task(outer, task)
    try:
        return asyncio.run(main())
    finally:
        if outer is not None and task is not None:
            asyncio.tasks._enter_task(outer, task)
        asyncio._set_running_loop(outer)


def test_the_innermost_loop_has_the_future(servers: str) -> None:
    async def main(depth: int) -> None:
        async with aio.Producer(bootstrap_servers=servers) as producer:
            for _ in range(ROUNDS):
                future = producer.send_nowait("t", b"value")
                assert future.get_loop() is asyncio.get_running_loop()
                await future
                if depth:
                    run_on_its_own(lambda: main(depth - 1))

    asyncio.run(main(2))


def test_each_thread_has_its_own(servers: str) -> None:
    both = threading.Barrier(2, timeout=10)

    async def main() -> None:
        async with aio.Producer(bootstrap_servers=servers) as producer:
            for _ in range(ROUNDS):
                future = producer.send_nowait("t", b"value")
                both.wait()
                assert future.get_loop() is asyncio.get_running_loop()
                both.wait()
                await future

    def work() -> None:
        for _ in range(ROUNDS):
            asyncio.run(main())

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(work) for _ in range(2)]:
            done.result(20)


def test_a_loop_that_has_ended_is_not_kept_and_runs_no_more(servers: str) -> None:
    loops: list[weakref.ref[Any]] = []

    async def main() -> aio.Producer:
        async with aio.Producer(bootstrap_servers=servers) as producer:
            future = producer.send_nowait("t", b"value")
            loops.append(weakref.ref(future.get_loop()))
            await future
        return producer

    for _ in range(ROUNDS):
        producer = asyncio.run(main())
        with pytest.raises(RuntimeError, match="running event loop"):
            producer.send("t", b"value")
    gc.collect()
    assert [loop() for loop in loops] == [None] * ROUNDS
