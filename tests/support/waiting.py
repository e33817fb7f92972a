"""Waiting on conditions. No test sleeps for a time it hopes is enough."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

SECONDS = 20.0
PAUSE_BETWEEN_LOOKS = 0.005


class StuckError(Exception):
    """kafka-python 3.0.12 waits for its coordinator without end at times, on Apache Kafka as well."""


def eventually(look: Callable[[], T], what: str, seconds: float = SECONDS) -> T:
    """Looks again and again until `look` answers something true, and returns that."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:.0f} s until {what}; last seen: {seen!r}")
        time.sleep(PAUSE_BETWEEN_LOOKS)


async def until(look: Callable[[], object]) -> None:
    """Looks again and again until `look` answers something true, beside the tasks of the loop; the test has the time
    limit.
    """
    while not look():  # noqa: ASYNC110  the libraries tell nobody
        await asyncio.sleep(PAUSE_BETWEEN_LOOKS)


class Stopwatch:
    """How long a block took, while it runs and after it.

    with Stopwatch() as watch: ...
    assert watch.seconds < 2
    """

    def __enter__(self) -> Stopwatch:
        self._started = time.monotonic()
        self._stopped: float | None = None
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = time.monotonic()

    @property
    def seconds(self) -> float:
        return (self._stopped or time.monotonic()) - self._started
