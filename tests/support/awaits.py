"""Help for tests of asyncio: a loop of their own, cancelling, and an address that answers when it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from tests.support.waiting import SECONDS, Stopwatch

if TYPE_CHECKING:
    from tests.brokers import Broker

T = TypeVar("T")


def run(test: Coroutine[Any, Any, T]) -> T:
    """Runs a test on a loop of its own, not for ever, and finds tasks that it leaves."""

    async def checked() -> T:
        result = await asyncio.wait_for(test, 2 * SECONDS)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks left behind: {left}"
        return result

    return asyncio.run(checked())


async def cancel(awaitable: Any) -> None:
    """Awaits in a task, cancels it once it waits, and sees that this is all that happens."""

    async def wait() -> Any:
        return await awaitable

    task = asyncio.create_task(wait())
    # Two turns: the task starts and suspends.
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with Stopwatch() as watch, pytest.raises(asyncio.CancelledError):
        await task
    assert watch.seconds < SECONDS / 2


@asynccontextmanager
async def gate(broker: Broker) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """An address that says nothing until the event is set, and then is the broker."""
    host, _, port = broker.bootstrap_servers.split(",")[0].rpartition(":")
    opened = asyncio.Event()
    serving: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        to_broker = None
        # The streams of Python 3.11 complain of a task that ends as cancelled.
        with suppress(asyncio.CancelledError):
            await opened.wait()
            from_broker, to_broker = await asyncio.open_connection(host, int(port))
            await asyncio.gather(pump(reader, to_broker), pump(from_broker, writer))
        for end in (writer, to_broker):
            if end is not None:
                end.close()
        serving.discard(task)

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        address = server.sockets[0].getsockname()
        yield f"{address[0]}:{address[1]}", opened
        server.close()
        left = list(serving)
        for task in left:
            task.cancel()
        await asyncio.gather(*left)
