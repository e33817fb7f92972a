"""A plugin of pytest: beside a test that has failed stands what the machine did, should that be to blame."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

LOOKS = {
    "load of 1, 5 and 15 minutes, processes that run": "/proc/loadavg",
    "waiting for a processor": "/proc/pressure/cpu",
    "waiting for a disk": "/proc/pressure/io",
    "waiting for memory": "/proc/pressure/memory",
}
"""Linux's own figures; pressure is the share of the last 10, 60 and 300 seconds in which somebody waited."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Adds the figures to the report of a failure."""
    report = yield
    if report.failed:
        report.sections.append(("the machine", "\n".join(f"{what}: {look(path)}" for what, path in LOOKS.items())))
    return report


def look(path: str) -> str:
    """Returns the first line of a figure; other systems have none."""
    try:
        first, *_ = Path(path).read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return "not known"
    return first
