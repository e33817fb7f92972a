"""Turns of the event loop, which a task that need not wait in any of its calls would never leave to others."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any

TURN_AFTER = 500
"""Calls after which the loop is let run."""


class LoopTurns:
    """Counts the calls of one client."""

    def __init__(self) -> None:
        self._calls = 0
        self._task: weakref.ref[asyncio.Task[Any]] | None = None

    def is_due(self) -> bool:
        """Counts a call; true now and then, if one task makes the calls: those that many tasks make once each keep
        their order.
        """
        self._calls += 1
        return self._calls % TURN_AFTER == 0 and self._is_of_one_task()

    def _is_of_one_task(self) -> bool:
        task, before = asyncio.current_task(), self._task
        self._task = None if task is None else weakref.ref(task)
        return task is not None and before is not None and before() is task
