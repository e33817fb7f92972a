"""What the commands print, and how."""

from __future__ import annotations

import sys
import time
from typing import TextIO

REDRAW_SECONDS = 0.1


def say(line: str) -> None:
    """Prints one line, at once: it may go to a pipe that somebody watches."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class ProgressLine:
    """A line that is written over while work goes on, on a terminal; otherwise only its end.

    Args:
        label: What is being done.
        total: How many records there will be.
        stream: Where to write; standard output when left out.
    """

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        self._label = label
        self._total = total
        self._stream = stream or sys.stdout
        self._started = time.perf_counter()
        self._shown = self._started

    def at(self, count: int) -> None:
        """`count` records are done. Cheap enough to be called for each few hundred."""
        now = time.perf_counter()
        if self._stream.isatty() and now - self._shown >= REDRAW_SECONDS:
            self._shown = now
            self._stream.write(f"\r{self._line(count, now)}")
            self._stream.flush()

    def end(self, count: int) -> None:
        """All is done."""
        start = "\r" if self._stream.isatty() else ""
        self._stream.write(f"{start}{self._line(count, time.perf_counter())}\n")
        self._stream.flush()

    def _line(self, count: int, now: float) -> str:
        seconds = max(now - self._started, 1e-9)
        share = count / self._total
        bar = "#" * round(20 * share)
        return f"  {self._label:<28} [{bar:<20}] {count:>9,} records  {count / seconds:>11,.0f} a second"
