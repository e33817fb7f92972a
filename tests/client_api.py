"""The sync and the asyncio clients behind one set of names, so that a behaviour test is written once.

`client_api.Producer(...)` and `client_api.Consumer(...)` answer either the sync client itself, or the asyncio one
wrapped so that each call runs on the test's event loop until it is done.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import kafkars
import kafkars.aio


class SyncApi:
    """The sync clients as they are."""

    name = "sync"

    def __init__(self, adapt: Callable[[Any], Any] | None = None) -> None:
        made = adapted(kafkars.Producer, adapt), adapted(kafkars.Consumer, adapt)
        self.Producer, self.Consumer = made
        self.Admin = kafkars.Admin


class AsyncApi:
    """The asyncio clients on an event loop of the test's own."""

    name = "asyncio"

    def __init__(self, adapt: Callable[[Any], Any] | None = None) -> None:
        self.loop = asyncio.new_event_loop()
        self.producer_class = adapted(kafkars.aio.Producer, adapt)
        self.consumer_class = adapted(kafkars.aio.Consumer, adapt)

    def Producer(self, *arguments: Any, **settings: Any) -> Any:  # noqa: N802  # stands for a class
        return Wrapped(self.loop, lambda: self.producer_class(*arguments, **settings))

    def Consumer(self, *arguments: Any, **settings: Any) -> Any:  # noqa: N802  # stands for a class
        return Wrapped(self.loop, lambda: self.consumer_class(*arguments, **settings))

    def Admin(self, *arguments: Any, **settings: Any) -> Any:  # noqa: N802  # stands for a class
        return Wrapped(self.loop, lambda: kafkars.aio.Admin(*arguments, **settings))

    def close(self) -> None:
        """Ends the loop; a task that a client left behind is a failure."""
        left = asyncio.all_tasks(self.loop)
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()
        assert not left, f"tasks left behind: {left}"


def adapted(made: Any, adapt: Callable[[Any], Any] | None) -> Any:
    """The class, or what makes a client of it and hands the client to a function that changes it."""
    return made if adapt is None else lambda *arguments, **settings: adapt(made(*arguments, **settings))


class Wrapped:
    """An asyncio client whose methods are called as if they were sync."""

    def __init__(self, loop: asyncio.AbstractEventLoop, make: Callable[[], Any]) -> None:
        self._loop = loop
        self._client = run(loop, make)

    def send(self, *arguments: Any, **settings: Any) -> PendingResult:
        """Sends now and is awaited later, as the sync future is asked later."""
        return PendingResult(self._loop, run(self._loop, lambda: self._client.send(*arguments, **settings)))

    def send_many(self, *arguments: Any, **settings: Any) -> PendingMany:
        """As the sync one: returns once there was room for all, and is asked later."""
        return PendingMany(self._loop, complete(self._loop, lambda: self._client.enqueue_many(*arguments, **settings)))

    def send_arrow(self, *arguments: Any, **settings: Any) -> PendingMany:
        """Likewise."""
        return PendingMany(self._loop, complete(self._loop, lambda: self._client.enqueue_arrow(*arguments, **settings)))

    def send_batch(self, *arguments: Any, **settings: Any) -> PendingResult:
        """Sends now and is awaited later."""
        return PendingResult(self._loop, run(self._loop, lambda: self._client.send_batch(*arguments, **settings)))

    def read_until_end(self, *arguments: Any, **settings: Any) -> Iterator[Any]:
        """Each step of the asynchronous iteration as one of this."""
        steps = self._client.read_until_end(*arguments, **settings)
        over = object()
        while (batch := complete(self._loop, lambda: anext(steps, over))) is not over:
            yield batch

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._client, name)
        if not callable(attribute):
            return attribute
        return lambda *arguments, **settings: complete(self._loop, lambda: attribute(*arguments, **settings))

    def __enter__(self) -> Wrapped:
        complete(self._loop, self._client.__aenter__)
        return self

    def __exit__(self, *exception: object) -> None:
        complete(self._loop, lambda: self._client.__aexit__(*exception))

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return complete(self._loop, self._client.__anext__)
        except StopAsyncIteration:
            raise StopIteration from None


class PendingResult:
    """What an asyncio `send` gave, asked as the sync one is."""

    def __init__(self, loop: asyncio.AbstractEventLoop, awaitable: Any) -> None:
        self._loop = loop
        self._awaitable = awaitable

    def result(self, timeout: float | None = None) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(awaited(self._awaitable), timeout))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._awaitable, name)


class PendingMany(PendingResult):
    """What an asyncio `enqueue_many` gave, asked as the sync `Deliveries` are."""

    def __len__(self) -> int:
        return len(self._awaitable)

    def __getitem__(self, index: int) -> PendingResult:
        return PendingResult(self._loop, self._awaitable[index])

    def __iter__(self) -> Iterator[PendingResult]:
        return (PendingResult(self._loop, each) for each in self._awaitable)

    def failures(self, timeout: float | None = None) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(self._awaitable.failures(), timeout))


def run(loop: asyncio.AbstractEventLoop, call: Callable[[], Any]) -> Any:
    """Makes the call while the loop runs, without awaiting what it answers."""

    async def inside() -> list[Any]:
        # In a list: a coroutine must not be awaited on the way out.
        return [call()]

    return loop.run_until_complete(inside())[0]


def complete(loop: asyncio.AbstractEventLoop, call: Callable[[], Any]) -> Any:
    """Makes the call while the loop runs, and awaits what it answers where that can be awaited."""

    async def inside() -> Any:
        answer = call()
        return await answer if inspect.isawaitable(answer) else answer

    return loop.run_until_complete(inside())


async def awaited(awaitable: Any) -> Any:
    return await awaitable
