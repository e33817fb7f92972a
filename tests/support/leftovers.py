"""What a test leaves behind in its process: threads, sockets, tasks of asyncio."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import NamedTuple

from tests.support.waiting import eventually

SECONDS_TO_LEAVE = 10.0
PROCESS = Path("/proc/self")


class Belongings(NamedTuple):
    """What this process has at one moment."""

    python_threads: int
    native_threads: int
    sockets: int


def belongings() -> Belongings:
    """Counts. Where there is no /proc, only what Python knows."""
    return Belongings(threading.active_count(), native_threads(), sockets())


def native_threads() -> int:
    """Threads that belong neither to Python nor to the one runtime of kafkars, whose number is fixed."""
    return len(names())


def names() -> list[str]:
    """Their names. Those of librdkafka are of other tests, whose clients it gives more threads when it learns of more
    brokers.
    """
    found = [name for path in PROCESS.glob("task/*/comm") if (name := text(path))]
    return sorted(name for name in found if not name.startswith(("kafkars-io", "python", "pytest", "rdk:")))


def sockets() -> int:
    """Open sockets, whoever opened them."""
    return sum(target(path).startswith("socket:") for path in PROCESS.glob("fd/*"))


def text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        # Gone between the listing and the look.
        return ""


def target(path: Path) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115  Path.readlink resolves what is no path
    except OSError:
        return ""


def assert_no_more_than(before: Belongings) -> None:
    """Waits until nothing is there that was not there before."""

    def gone() -> bool:
        now = belongings()
        return all(count <= limit for count, limit in zip(now, before, strict=True))

    try:
        eventually(gone, "everything is gone", SECONDS_TO_LEAVE)
    except AssertionError as error:
        raise AssertionError(f"left behind: {before} became {belongings()}, with threads {names()}") from error
