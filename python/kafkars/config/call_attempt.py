"""A call of the application's function for credentials, which ends early when nobody waits for it any more."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

THREAD = threading.local()
"""Its `attempt` is the `CallAttempt` that the current thread is making."""


class CallAttempt:
    """A call on one of the helper threads of the native module.

    Args:
        function: The function to call. It may call further ones; whatever is awaited in any of them can be cancelled.
    """

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self._lock = threading.Lock()
        self._is_given_up = False
        self._end: Callable[[], object] | None = None

    def outcome(self) -> object:
        """Calls the function and returns its result."""
        THREAD.attempt = self
        try:
            return self.function()
        finally:
            del THREAD.attempt

    def give_up(self) -> None:
        """Cancels what is awaited, now or later. Called on another thread."""
        with self._lock:
            self._is_given_up = True
            if self._end is not None:
                self._end()

    def check(self) -> None:
        """Checks that the outcome is still waited for.

        Raises:
            CallGivenUpError: It is not.
        """
        if self._is_given_up:
            raise CallGivenUpError

    def on_given_up(self, end: Callable[[], object] | None) -> None:
        """Calls `end` when the call is given up; at once if that is so already."""
        with self._lock:
            self._end = end
            if end is not None and self._is_given_up:
                end()


def awaited_on(loop: asyncio.AbstractEventLoop, awaitable: Awaitable[object]) -> object:
    """Awaits an awaitable on the running loop of another thread, and returns its result."""
    import asyncio  # noqa: PLC0415  only where the application uses it

    attempt = attempt_of_thread()
    ended = threading.Event()
    future = asyncio.run_coroutine_threadsafe(outcome_of(awaitable), loop)
    future.add_done_callback(lambda _: ended.set())

    def end() -> None:
        ended.set()  # the loop may be blocked or closed, so this does not wait for it
        if not loop.is_closed():
            future.cancel()

    attempt.on_given_up(end)
    try:
        ended.wait()
    finally:
        attempt.on_given_up(None)
    attempt.check()
    return future.result()


def awaited_here(awaitable: Awaitable[object]) -> object:
    """Awaits an awaitable on a loop of its own, and returns its result."""
    import asyncio  # noqa: PLC0415

    attempt = attempt_of_thread()

    async def main() -> object:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(outcome_of(awaitable))
        attempt.on_given_up(lambda: loop.call_soon_threadsafe(task.cancel))
        try:
            return await task
        except asyncio.CancelledError:
            attempt.check()
            raise
        finally:
            attempt.on_given_up(None)

    return asyncio.run(main())


async def outcome_of(awaitable: Awaitable[Any]) -> object:
    """Wraps any awaitable in a coroutine."""
    return await awaitable


def attempt_of_thread() -> CallAttempt:
    """Returns the call that this thread is making; outside of one, a call that is never given up."""
    attempt = getattr(THREAD, "attempt", None)
    return attempt if isinstance(attempt, CallAttempt) else CallAttempt(lambda: None)


class CallGivenUpError(RuntimeError):
    """Nobody waits for the outcome any more."""

    def __init__(self) -> None:
        super().__init__("nobody waits for the credentials any more")
