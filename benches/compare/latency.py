"""Open-loop pacing and what is made of the arrivals.

A record is due at a fixed moment, whatever became of the ones before it, and its latency counts from that
moment: a client that stalls is charged for every record that should have left meanwhile (no coordinated omission).
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from benches.compare.task import Task

NANOSECONDS = 1_000_000_000
# Time for both ends to connect, and for the consumer's first fetch to be under way.
LEAD_SECONDS = 1.0
MICROSECOND = 1_000
PR_SET_TIMERSLACK = 29
CLOCK_MONOTONIC, TFD_NONBLOCK, TFD_TIMER_ABSTIME = 1, 0o4000, 1


class Pace:
    """When each record is due."""

    def __init__(self, task: Task) -> None:
        self._step = NANOSECONDS // task.rate
        self._records = task.records
        self._start = time.monotonic_ns() + int(LEAD_SECONDS * NANOSECONDS)

    def due(self, index: int) -> int:
        return self._start + index * self._step

    def in_time(self) -> Iterator[int]:
        """Yields each index when it is due, or at once when that has passed."""
        exact_sleep()
        for index in range(self._records):
            wait = self.due(index) - time.monotonic_ns()
            if wait > 0:
                time.sleep(wait / NANOSECONDS)
            yield index

    async def in_time_asyncio(self) -> AsyncIterator[int]:
        """The same on the running loop. asyncio's own timers are rounded up to milliseconds, so not with those."""
        timer = Timer()
        try:
            for index in range(self._records):
                due = self.due(index)
                if due > time.monotonic_ns():
                    await timer.wait_until(due)
                yield index
        finally:
            timer.close()


class Timer:
    """A kernel timer as a readable file: wakes an event loop within microseconds."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._file = -1
        if sys.platform == "linux":
            self._file = self._libc.timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)
            self._loop.add_reader(self._file, self._fired)

    async def wait_until(self, due: int) -> None:
        if self._file < 0:
            await asyncio.sleep((due - time.monotonic_ns()) / NANOSECONDS)
            return
        self._waiter = self._loop.create_future()
        setting = struct.pack("qqqq", 0, 0, *divmod(due, NANOSECONDS))
        self._libc.timerfd_settime(self._file, TFD_TIMER_ABSTIME, setting, None)
        await self._waiter

    def close(self) -> None:
        if self._file >= 0:
            self._loop.remove_reader(self._file)
            os.close(self._file)

    def _fired(self) -> None:
        os.read(self._file, 8)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def exact_sleep() -> None:
    """Linux may end a sleep 50 us late to save wake-ups; this thread asks it not to."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


FILLER = bytes(range(97, 123)) * 4096


def stamp(index: int, size: int) -> bytes:
    """A value that says which record it is."""
    return struct.pack(">q", index) + FILLER[: size - 8]


def received(value: bytes, pace: Pace, arrivals: list[int]) -> None:
    """Notes the latency of one record, in the order of arrival."""
    now = time.monotonic_ns()
    (index,) = struct.unpack_from(">q", value)
    if index != len(arrivals):
        raise RuntimeError(f"record {index} arrived where {len(arrivals)} was due")
    arrivals.append((now - pace.due(index)) // MICROSECOND)


def percentiles(latencies: list[int]) -> dict[str, float]:
    """Microseconds, exact: nothing is bucketed before."""
    ordered = sorted(latencies)
    points = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
    found = {name: float(ordered[min(len(ordered) - 1, int(part * len(ordered)))]) for name, part in points.items()}
    return {**found, "max": float(ordered[-1]), "mean": sum(ordered) / len(ordered)}


def histogram(latencies: list[int]) -> dict[int, int]:
    """Counts by latency rounded to three significant digits, as an HDR histogram keeps them."""
    counts: dict[int, int] = {}
    for latency in latencies:
        digits = len(str(abs(latency)))
        bucket = round(latency, min(0, 3 - digits))
        counts[bucket] = counts.get(bucket, 0) + 1
    return dict(sorted(counts.items()))
