"""A loop that a task enters again, as `nest_asyncio` lets it in notebooks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any


class EnteredAgain(asyncio.SelectorEventLoop):
    """Does not refuse it."""

    def _check_running(self) -> None:
        pass


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """Runs a coroutine on such a loop."""
    loop = EnteredAgain()
    try:
        return loop.run_until_complete(main)
    finally:
        loop.close()


def run_within(awaitable: Awaitable[Any]) -> Any:
    """Runs the running loop until it is done, in a step of the task that runs."""
    loop = asyncio.get_running_loop()
    return turned_until(asyncio.ensure_future(awaitable, loop=loop), lambda future: future.done()).result()


def turned_until(future: Any, is_over: Callable[[Any], bool]) -> Any:
    """Lets the running loop turn, in a step of the task that runs, and looks after each turn whether it is over."""
    loop: Any = asyncio.get_running_loop()
    task: Any = asyncio.current_task()
    # The turn of the loop that this is within takes as many callbacks as it has found.
    left = len(loop._ready)
    asyncio.tasks._leave_task(loop, task)
    try:
        while not is_over(future):
            loop._run_once()
    finally:
        asyncio.tasks._enter_task(loop, task)
        for _ in range(left):
            loop.call_soon(bool)
    return future
