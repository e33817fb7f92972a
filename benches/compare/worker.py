"""A process of its own for one measurement: reads a Task from standard input, writes the result to standard output."""

from __future__ import annotations

import json
import platform
import resource
import sys
from dataclasses import asdict
from pathlib import Path

from benches.compare import drivers
from benches.compare.task import Task, Window


def main() -> int:
    task = Task.from_json(sys.stdin.read())
    driver = drivers.load(task.driver)
    window = Window()
    outcome = driver.JOBS[task.job](task, window)
    outcome.effective = {
        name: value
        for name, value in outcome.effective.items()
        if "bootstrap" not in name and not name.startswith("ssl")
    }
    result = {
        "version": driver.version(),
        "python": platform.python_version(),
        "seconds": window.seconds,
        "user": window.user,
        "system": window.system,
        "switches": window.switches,
        "peak_rss": peak_rss(),
        **asdict(outcome),
    }
    json.dump(result, sys.stdout)
    return 0


def peak_rss() -> int:
    """Bytes. Not from getrusage where that can be helped: Linux counts the parent's memory before exec into it."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    # Kilobytes, on a Mac bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    sys.exit(main())
