"""Whoever reads while a consumer is closed hears that it is closed, at each moment of the way."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import kafkars
import pytest
from kafkars import aio
from kafkars.errors import ClosedError
from kafkars.testing import EmbeddedBroker

from tests.support.waiting import SECONDS, eventually

GROUP = {"group_id": "g", "auto_offset_reset": "earliest", "client_id": "reader"}
LEAVING = 0.3
"""Seconds until the coordinator answers: the member has given up its partitions by then."""


def iterate(consumer: Any) -> None:
    for _ in consumer:
        pass


def poll(consumer: Any) -> None:
    with pytest.raises(ClosedError):
        while True:
            consumer.poll(timeout=0.01)


async def iterate_on_a_loop(consumer: Any) -> None:
    async for _ in consumer:
        pass


async def poll_on_a_loop(consumer: Any) -> None:
    with pytest.raises(ClosedError):
        while True:
            await consumer.poll(timeout=0.01)


@pytest.mark.parametrize("reads", [iterate, poll])
def test_a_thread_that_reads(reads: Any) -> None:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            reads(consumer)
        except Exception as error:  # noqa: BLE001  # told below
            failures.append(error)

    with EmbeddedBroker(topics={"t": 1}) as broker:
        consumer = kafkars.Consumer(bootstrap_servers=broker.bootstrap_servers, **GROUP)
        consumer.subscribe(["t"])
        thread = threading.Thread(target=run)
        thread.start()
        eventually(consumer.assignment, "it reads")
        with broker.intercept("LeaveGroup", "delay", seconds=LEAVING):
            consumer.close(timeout=SECONDS)
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert failures == []


@pytest.mark.parametrize("reads", [iterate_on_a_loop, poll_on_a_loop])
def test_a_task_that_reads(reads: Any) -> None:
    async def test() -> None:
        with EmbeddedBroker(topics={"t": 1}) as broker, contextlib.ExitStack() as faults:
            consumer = aio.Consumer(bootstrap_servers=broker.bootstrap_servers, **GROUP)
            consumer.subscribe(["t"])
            reading = asyncio.create_task(reads(consumer))
            while not consumer.assignment():  # noqa: ASYNC110  the task has it
                await asyncio.sleep(0.005)
            faults.enter_context(broker.intercept("LeaveGroup", "delay", seconds=LEAVING))
            await consumer.close(timeout=SECONDS)
            await asyncio.wait_for(reading, SECONDS)

    asyncio.run(test())


@pytest.mark.parametrize("on_a_loop", [False, True], ids=["thread", "task"])
def test_who_iterates_again_while_it_is_not_closed_comes_to_an_end(on_a_loop: bool) -> None:
    """An iteration that ends at once must not keep the loop, or the interpreter, from closing."""

    def again(consumer: Any) -> None:
        while not consumer.closed:
            iterate(consumer)

    async def again_on_a_loop(consumer: Any) -> None:
        while not consumer.closed:
            await iterate_on_a_loop(consumer)

    if on_a_loop:
        test_a_task_that_reads(again_on_a_loop)
    else:
        test_a_thread_that_reads(again)


@pytest.mark.parametrize("on_a_loop", [False, True], ids=["thread", "task"])
@pytest.mark.parametrize("kind", [StopIteration, StopAsyncIteration])
def test_what_ends_iterations_is_not_raised_by_a_listener(kind: type[Exception], on_a_loop: bool) -> None:
    def fails(_: Any) -> None:
        raise kind

    async def test() -> None:
        async with aio.Consumer(**settings) as consumer:
            consumer.subscribe(["t"], on_partitions_assigned=fails)
            with pytest.raises((RuntimeError, StopIteration)):
                await asyncio.wait_for(iterate_on_a_loop(consumer), SECONDS)

    with EmbeddedBroker(topics={"t": 1}) as broker:
        settings: Any = {"bootstrap_servers": broker.bootstrap_servers, **GROUP}
        if on_a_loop:
            asyncio.run(test())
        else:
            with kafkars.Consumer(**settings) as consumer:
                consumer.subscribe(["t"], on_partitions_assigned=fails)
                with pytest.raises((RuntimeError, StopAsyncIteration)):
                    iterate(consumer)
