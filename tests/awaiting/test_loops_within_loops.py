"""Tasks that a client has woken wait in a loop within the loop, as notebooks let them (`nest_asyncio`).

A woken task runs in the callback of the loop's reader, which cannot be called again before it has returned.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from kafkars import aio
from kafkars.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from kafkars.testing import EmbeddedBroker

from tests.support import nested_loops
from tests.support.nested_loops import run_within, turned_until
from tests.support.waiting import SECONDS

ROUNDS = 20
Call = Callable[[], Awaitable[Any]]
"""A send that waits for its delivery, and a read."""


@asynccontextmanager
async def native(servers: str) -> AsyncIterator[tuple[Call, Call]]:
    async with (
        aio.Producer(bootstrap_servers=servers) as producer,
        aio.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer,
    ):
        consumer.assign([("t", 0)])
        yield lambda: producer.send("t", b"value"), lambda: consumer.poll(timeout=SECONDS)


@asynccontextmanager
async def face(servers: str) -> AsyncIterator[tuple[Call, Call]]:
    async with (
        AIOKafkaProducer(bootstrap_servers=servers) as producer,
        AIOKafkaConsumer("t", bootstrap_servers=servers, auto_offset_reset="earliest") as consumer,
    ):
        yield lambda: producer.send_and_wait("t", b"value"), consumer.getone


def run(clients: Any, test: Callable[[Call, Call], Awaitable[None]]) -> list[Any]:
    """Runs a test, and returns what was reported to the loop."""
    reports: list[Any] = []

    async def main(servers: str) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, report: reports.append(report))
        async with clients(servers) as (send, read):
            await test(send, read)

    with EmbeddedBroker(topics={"t": 1}) as broker:
        nested_loops.run(asyncio.wait_for(main(broker.bootstrap_servers), SECONDS))
    return reports


async def awaited(call: Call) -> Any:
    return await call()


@pytest.mark.parametrize("clients", [native, face])
def test_a_task_sends_and_reads_within_and_without(clients: Any) -> None:
    async def test(send: Call, read: Call) -> None:
        offsets = []
        for _ in range(ROUNDS):
            offsets.append((await send()).offset)
            offsets.append(run_within(awaited(send)).offset)
            assert run_within(awaited(read)).offset == offsets[-2]
            assert (await read()).offset == offsets[-1]
        assert offsets == list(range(2 * ROUNDS))

    assert not run(clients, test)


@pytest.mark.parametrize("clients", [native, face])
def test_loops_within_loops_within_loops(clients: Any) -> None:
    async def test(send: Call, read: Call) -> None:
        async def deeper(depth: int) -> None:
            await send()
            assert (await read()).offset >= 0
            if depth:
                run_within(deeper(depth - 1))
                await send()
                run_within(deeper(depth - 1))

        await deeper(4)

    assert not run(clients, test)


@pytest.mark.parametrize("clients", [native, face])
def test_what_waits_in_the_outer_loop_is_woken_in_the_inner_one(clients: Any) -> None:
    async def test(send: Call, read: Call) -> None:
        reads = [asyncio.create_task(awaited(read)) for _ in range(3)]
        for each in reads:
            await send()
            run_within(asyncio.wait([each]))
            assert each.done()
        assert sorted(each.result().offset for each in reads) == [0, 1, 2]

    assert not run(clients, test)


@pytest.mark.parametrize("clients", [native, face])
def test_of_tasks_that_are_woken_together_one_waits_for_the_other(clients: Any) -> None:
    async def test(send: Call, read: Call) -> None:
        for _ in range(ROUNDS):
            sends: list[asyncio.Task[Any]] = []

            async def sent(number: int, sends: list[asyncio.Task[Any]] = sends) -> None:
                await send()
                if number == 0:
                    run_within(asyncio.wait(sends[1:]))

            sends += [asyncio.create_task(sent(number)) for number in range(5)]
            await asyncio.wait(sends)
            assert all(not each.exception() for each in sends)
        assert (await read()).offset == 0

    assert not run(clients, test)


def test_a_loop_turns_until_a_future_is_done_that_nobody_has_told_to_call_back() -> None:
    """As `nest_asyncio` does with what is a future."""

    async def main(servers: str) -> None:
        async with (
            aio.Producer(bootstrap_servers=servers) as producer,
            AIOKafkaProducer(bootstrap_servers=servers) as of,
        ):
            for make in (lambda: producer.send("t", b"value"), lambda: run_within(of.send("t", b"value"))):
                future = make()
                loop = asyncio.get_running_loop()
                assert asyncio.ensure_future(future, loop=loop) is future
                turned_until(future, lambda future: future.done())
                assert future.result().topic == "t"

    with EmbeddedBroker(topics={"t": 1}) as broker:
        nested_loops.run(asyncio.wait_for(main(broker.bootstrap_servers), SECONDS))
