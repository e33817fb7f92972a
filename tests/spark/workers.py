"""The processes that Spark has started, as the kernel tells of them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

GONE = (FileNotFoundError, ProcessLookupError)


def descendants() -> list[int]:
    """All that this process has started, and what that has started."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(*GONE):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(entry.name))
    found, waiting = [], [os.getpid()]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def workers() -> list[int]:
    """The Python workers of executors, and the daemons that fork them."""
    found = []
    for pid in descendants():
        with suppress(*GONE):
            if b"pyspark.daemon" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found


def forget_peaks() -> None:
    """From now on, `largest_peak` tells of what comes."""
    for pid in workers():
        with suppress(*GONE):
            Path(f"/proc/{pid}/clear_refs").write_text("5")


def largest_peak() -> float:
    """The most memory that a Python worker of an executor had, in MiB."""
    peaks = [0]
    for pid in workers():
        with suppress(*GONE, IndexError):
            status = Path(f"/proc/{pid}/status").read_text()
            peaks.append(int(status.split("VmHWM:")[1].split()[0]))
    return max(peaks) / 1024
