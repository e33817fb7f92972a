"""Who is cancelled while others run before a call: what has been done by then, and what is said of it."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from kafkars import aio
from kafkars._kafkars import turn_is_due
from kafkars.compat.confluent_kafka import TopicPartition
from kafkars.compat.confluent_kafka.aio import AIOConsumer, AIOProducer
from kafkars.errors import ClosedError

from tests.awaiting.turning import RECORDS, work
from tests.support.waiting import SECONDS


def run_by_itself(run: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs a loop on a thread of its own: none has run there before."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, asyncio.wait_for(run(), SECONDS)).result()


def work_for_long(calls: int) -> None:
    """The running task has worked, and made calls: with some number of them it would yield before its next one."""
    turn_is_due()
    work(0.02)
    for _ in range(calls):
        turn_is_due()


after_some_calls = pytest.mark.parametrize("calls", range(3))


async def cancelled_where_it_waits(start: Callable[[], Awaitable[Any]]) -> None:
    task = asyncio.ensure_future(start())
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


@after_some_calls
@pytest.mark.parametrize("is_block", [True, False], ids=["block", "begin_transaction"])
def test_no_transaction_is_left_open(servers: str, is_block: bool, calls: int) -> None:
    """Between its begin and the first line behind it nobody is cancelled."""

    async def run() -> None:
        async with aio.Producer(bootstrap_servers=servers, transactional_id=f"turns-{is_block}-{calls}") as producer:

            async def use_block() -> None:
                work_for_long(calls)
                async with producer.transaction():
                    await asyncio.sleep(SECONDS)

            async def use_calls() -> None:
                work_for_long(calls)
                await producer.begin_transaction()
                try:
                    await asyncio.sleep(SECONDS)
                finally:
                    await producer.abort_transaction()

            await producer.init_transactions()
            await asyncio.sleep(0)
            await cancelled_where_it_waits(use_block if is_block else use_calls)
            async with producer.transaction():
                await producer.send("sent", b"")

    run_by_itself(run)


@after_some_calls
@pytest.mark.parametrize("kind", [aio.Consumer, aio.Producer])
def test_no_client_is_left_open(servers: str, kind: Any, calls: int) -> None:
    """Who is cancelled at the begin of a block would not come to its end."""
    client: Any = None

    async def use() -> None:
        nonlocal client
        client = kind(bootstrap_servers=servers)
        work_for_long(calls)
        async with client:
            await asyncio.sleep(SECONDS)

    async def run() -> None:
        await cancelled_where_it_waits(use)
        with pytest.raises(ClosedError):
            await client.__aenter__()

    run_by_itself(run)


def test_nothing_is_said_of_an_iteration_that_is_cancelled(servers: str) -> None:
    """It was about to read, and knows it."""

    async def run() -> None:
        async with aio.Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([("t", 0)])
            first = await consumer.poll(timeout=SECONDS)
            assert first is not None
            offsets = [first.offset]

            async def iterate() -> None:
                async for record in consumer:
                    offsets.append(record.offset)
                    if len(offsets) == RECORDS:
                        return

            for _ in range(3):
                await cancelled_where_it_waits(iterate)
            await iterate()
            assert offsets == list(range(RECORDS))

    # What other tests have left is not told here.
    gc.collect()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", RuntimeWarning)
        run_by_itself(run)
        gc.collect()
    assert not [str(each.message) for each in said if each.category is RuntimeWarning]


@after_some_calls
def test_a_call_that_confluents_consumer_makes_on_a_thread_is_made(servers: str, calls: int) -> None:
    """As in the library, where who is cancelled has handed it to the thread."""

    async def run() -> None:
        consumer = AIOConsumer({"bootstrap.servers": servers, "group.id": "turns"})
        await consumer.assign([TopicPartition("t", 0, 0)])

        async def unassign() -> None:
            work_for_long(calls)
            await consumer.unassign()

        task = asyncio.ensure_future(unassign())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert not await consumer.assignment()
        await consumer.close()

    run_by_itself(run)


@after_some_calls
def test_only_what_was_produced_before_is_purged(calls: int) -> None:
    """Others may produce while the call lets them run."""

    async def run() -> None:
        producer = AIOProducer({"bootstrap.servers": "127.0.0.1:9", "log_level": 0})
        await producer.produce("t", b"before")

        async def purge() -> None:
            work_for_long(calls)
            await producer.purge()

        purging = asyncio.ensure_future(purge())
        later = asyncio.ensure_future(producer.produce("t", b"later"))
        await asyncio.wait([purging, later])
        assert not later.result().done()
        assert len(producer) == 1
        await producer.purge()
        await producer.close()

    run_by_itself(run)
