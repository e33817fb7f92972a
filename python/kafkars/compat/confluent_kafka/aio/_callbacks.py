"""Callbacks of asyncio clients: they run on the event loop, and those that are coroutine functions as tasks."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from kafkars.compat.confluent_kafka._face import Face


class LoopFlag:
    """Has what waits served by the event loop: set by any thread, or by the clock."""

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
            self._timer.cancel()

    def _again(self, seconds: float) -> None:
        self._answer()
        self.set_every(seconds)

    def _answer(self) -> None:
        if not self._is_closed:
            self._serve()


class Tasks:
    """Callbacks that are under way."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    def run(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Calls a function, or starts a coroutine function as a task."""
        answer = callback(*arguments)
        if inspect.isawaitable(answer):
            task = asyncio.ensure_future(answer)
            self._running.add(task)
            task.add_done_callback(self._running.discard)

    def face(self, face: Face) -> Face:
        """The same settings with callbacks that are run here."""
        wrapped: dict[str, Any] = {}
        for each in fields(face):
            callback = getattr(face, each.name)
            if each.name.endswith("_cb") and callback is not None:
                wrapped[each.name] = self.wrapped(callback)
        return replace(face, **wrapped)

    def wrapped(self, callback: Callable[..., Any]) -> Callable[..., None]:
        return lambda *arguments: self.run(callback, *arguments)


def limit(timeout: float | None) -> float | None:
    """A time limit in seconds as the engine takes it: -1 and None are none."""
    return None if timeout is None or timeout < 0 else float(timeout)


def no_workers(max_workers: int) -> None:
    """The library's threads are not needed here; their number is checked all the same."""
    if max_workers <= 0:
        raise ValueError("max_workers must be greater than 0")
