"""Runs both sides beside each other, and compares."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from tests.compat.differential.cases import cases
from tests.compat.differential.library import World
from tests.compat.differential.outcome import HANGS, in_short, same
from tests.compat.differential.worker import library_of

PATIENCE = 15.0
"""How long one case may take, in seconds, before its process is ended: the call hangs."""

SLOWER = 1.5
"""How much longer than the original a call may take, in seconds."""


@dataclass(frozen=True)
class Difference:
    """A case in which the face does not do what the original does.

    Args:
        case: Its name.
        original: What came of it there.
        face: What came of it here.
        later: How much later than there, in seconds, where that is too much.
    """

    case: str
    original: Any
    face: Any
    later: float | None

    @property
    def in_short(self) -> str:
        """Both outcomes, as the rows of what stays different have them."""
        return f"{in_short(self.original)} -> {in_short(self.face)}{'' if self.later is None else ', later'}"


def outcomes(library: str, side: str, servers: str, prefix: str, states: frozenset[str] | None) -> list[dict[str, Any]]:
    """What came of each case. One that hangs or ends its process is told, and the next ones get another process."""
    listed = cases(library_of(library), states)
    found: list[dict[str, Any]] = []
    while len(found) < len(listed):
        for line in lines([library, side, servers, prefix, ",".join(sorted(states or ())), str(len(found))]):
            if len(found) == len(listed):
                # It did not end by itself: that is not what is compared here.
                break
            if line is None:
                found.append({"case": listed[len(found)].name, "outcome": HANGS, "seconds": PATIENCE})
            else:
                found.append(line)
    return found


def lines(arguments: list[str]) -> Iterator[dict[str, Any] | None]:
    """The answers of one worker; None at the end of one that did not get through."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.compat.differential.worker", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    read: queue.Queue[str | None] = queue.Queue()

    def pump() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            read.put(line)
        read.put(None)

    pumping = threading.Thread(target=pump)
    pumping.start()
    busy = True
    try:
        while True:
            try:
                line = read.get(timeout=PATIENCE if busy else 2 * PATIENCE)
            except queue.Empty:
                yield None
                return
            if line is None:
                if process.wait() != 0 or busy:
                    yield None
                return
            answer = json.loads(line)
            busy = "began" in answer
            if not busy:
                yield answer
    finally:
        process.kill()
        pumping.join()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def compared(library: str, servers: str, states: frozenset[str] | None = None) -> tuple[int, float, list[Difference]]:
    """How many cases ran, how long they took, and where the face differs."""
    began = time.monotonic()
    with ThreadPoolExecutor() as threads:
        prefixes = {side: f"{side[0]}{os.getpid()}x{time.time_ns() % 10**9}-" for side in ("original", "face")}
        described = library_of(library)
        for prefix in prefixes.values():
            described.prepare(World(None, servers, prefix))  # type: ignore[arg-type]
        runs = [threads.submit(outcomes, library, side, servers, prefixes[side], states) for side in prefixes]
        original, face = (each.result() for each in runs)
    found = []
    for one, other in zip(original, face, strict=True):
        later = other["seconds"] - one["seconds"]
        is_later = later > SLOWER
        if is_later or not same(one["outcome"], other["outcome"]):
            found.append(Difference(one["case"], one["outcome"], other["outcome"], later if is_later else None))
    return len(original), time.monotonic() - began, found
