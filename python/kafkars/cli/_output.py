"""Output of the commands."""

from __future__ import annotations

import sys
import time
from typing import TextIO

REDRAW_SECONDS = 0.1


def say(line: str) -> None:
    """Prints one line and flushes it: the output may be a pipe that somebody watches."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class ProgressLine:
    """A line that shows progress: rewritten in place on a terminal, elsewhere printed once at the end.

    Args:
        label: What is being done.
        total: The number of records that there will be.
        stream: Where to write; standard output when left out.
    """

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        self._label = label
        self._total = total
        self._stream = stream or sys.stdout
        self._started = time.perf_counter()
        self._shown = self._started

    def at(self, count: int) -> None:
        """Shows that `count` records are done. It is cheap enough to be called for every few hundred records."""
        now = time.perf_counter()
        if self._stream.isatty() and now - self._shown >= REDRAW_SECONDS:
            self._shown = now
            self._stream.write(f"\r{self._line(count, now)}")
            self._stream.flush()

    def end(self, count: int) -> None:
        """Shows that all is done."""
        start = "\r" if self._stream.isatty() else ""
        self._stream.write(f"{start}{self._line(count, time.perf_counter())}\n")
        self._stream.flush()

    def _line(self, count: int, now: float) -> str:
        seconds = max(now - self._started, 1e-9)
        share = count / self._total
        bar = "#" * round(20 * share)
        return f"  {self._label:<28} [{bar:<20}] {count:>9,} records  {count / seconds:>11,.0f} a second"
