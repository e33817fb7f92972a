"""Callbacks of asyncio clients: they run on the event loop, and those that are coroutine functions as tasks."""

from __future__ import annotations

import asyncio
import inspect
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import fields, replace
from typing import Any, TypeVar

from kafkars._kafkars import PendingFlag
from kafkars.compat.confluent_kafka._face import Face

T = TypeVar("T")

LOOK_AFTER = 0.05
"""Seconds between two checks whether brokers were lost or found; only clients with `error_cb` make them."""


class LoopFlag:
    """A flag that any thread or a timer sets, and that makes the event loop serve waiting callbacks."""

    def __init__(self, loop: asyncio.AbstractEventLoop, serve: Callable[[], object]) -> None:
        self._loop = loop
        self._serve = serve
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False

    def set(self) -> None:
        """Once."""
        if not self._is_closed and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._answer)

    def set_every(self, seconds: float) -> None:
        """Again and again."""
        self._timer = self._loop.call_later(seconds, self._again, seconds)

    def close(self) -> None:
        """Nothing is served any more."""
        self._is_closed = True
        if self._timer is not None:
            cancel(self._timer, self._loop)

    def _again(self, seconds: float) -> None:
        if not self._is_closed:
            self._answer()
            self.set_every(seconds)

    def _answer(self) -> None:
        if not self._is_closed:
            self._serve()


class BrokerWatch:
    """Calls a function on the loop, soon after a broker was lost or found, until it is closed or forgotten.

    Args:
        loop: Where it is called.
        watch: Has a flag set whenever a broker was lost or found.
        look: What is called.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        watch: Callable[[PendingFlag], object],
        look: Callable[[], object],
    ) -> None:
        self._loop = loop
        self._look = look
        self._is_closed = False
        self._flag = PendingFlag()
        watch(self._flag)
        self._timer = self._next()

    def close(self) -> None:
        """Nothing is called any more."""
        self._is_closed = True
        cancel(self._timer, self._loop)

    def _next(self: BrokerWatch) -> asyncio.TimerHandle:
        # A weak reference: the loop must not keep a client alive that was dropped.
        me = weakref.ref(self)
        return self._loop.call_later(LOOK_AFTER, BrokerWatch._again, me)

    @staticmethod
    def _again(me: weakref.ref[BrokerWatch]) -> None:
        watch = me()
        if watch is None or watch._is_closed:
            return
        watch._timer = watch._next()
        if watch._flag.is_set():
            watch._flag.clear()
            watch._look()


class Tasks:
    """Callbacks and calls that are under way, and what one of the callbacks of the configuration has raised."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()
        self._raised: Exception | None = None

    def check(self) -> None:
        """Raises what a callback of the configuration has raised, once: the program's poll does, as in librdkafka."""
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def heed(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """As `run()`, and keeps what the callback raises for `check()`."""
        try:
            task = self.run(callback, *arguments)
        except Exception as problem:  # noqa: BLE001  it belongs to the program's next poll
            self._raised = self._raised or problem
            return
        if task is not None:
            task.add_done_callback(self._heeded)

    def _heeded(self, task: asyncio.Task[Any]) -> None:
        problem = None if task.cancelled() else task.exception()
        if isinstance(problem, Exception):
            self._raised = self._raised or problem

    def run(self, callback: Callable[..., Any], *arguments: Any) -> asyncio.Task[Any] | None:
        """Calls a function, or starts a coroutine function as a task, which is returned."""
        answer = callback(*arguments)
        return self.start(answer) if inspect.isawaitable(answer) else None

    def start(self, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """Starts a task that nobody else has to keep."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def ended(self, seconds: float) -> None:
        """Waits until all that runs on this loop now has ended, for at most so many seconds."""
        loop = asyncio.get_running_loop()
        here = [each for each in list(self._running) if each.get_loop() is loop]
        if here:
            await asyncio.wait(here, timeout=seconds)

    def face(self, face: Face) -> Face:
        """The same settings with callbacks that are run here."""
        wrapped: dict[str, Any] = {}
        for each in fields(face):
            callback = getattr(face, each.name)
            if each.name.endswith("_cb") and callback is not None:
                wrapped[each.name] = self.wrapped(callback)
        return replace(face, **wrapped)

    def wrapped(self, callback: Callable[..., Any]) -> Callable[..., None]:
        return lambda *arguments: self.heed(callback, *arguments)


def heard(work: Future[T]) -> asyncio.Future[T]:
    """What a thread does, as the running loop waits for it, whose failure is nobody's fault who waits no more."""
    waiting = asyncio.wrap_future(work)
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
    return waiting


def pass_on(to: Future[None], task: asyncio.Task[None]) -> None:
    """Hands on how a task has ended."""
    problem = asyncio.CancelledError() if task.cancelled() else task.exception()
    if problem is None:
        to.set_result(None)
    else:
        to.set_exception(problem)


def cancel(timer: asyncio.TimerHandle, loop: asyncio.AbstractEventLoop) -> None:
    """Cancels a timer, from any thread."""
    if asyncio._get_running_loop() is loop:
        timer.cancel()
        return
    # A loop that is closed has none.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(timer.cancel)


def no_workers(max_workers: int, expected: str) -> None:
    """The library's threads are not needed here; their number is checked all the same."""
    if max_workers <= 0:
        raise ValueError(f"max_workers must be {expected}")
