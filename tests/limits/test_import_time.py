"""`import kafkars` is quick: a command line tool or a function in the cloud pays for it each time."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.alone

LIMIT_SECONDS = 0.060
TESTING_LIMIT_SECONDS = 0.080
# The best of some: the limit is on the work, not on what else the machine does.
TRIES = 15

MEASURE = """
import time
started = time.perf_counter()
import {module}
print(time.perf_counter() - started)
"""

IMPORTED = """
import sys
import kafkars
print(*sys.modules)
"""


def test_it_takes_less_than_60_ms() -> None:
    assert min(run(MEASURE.format(module="kafkars"))[0] for _ in range(TRIES)) < LIMIT_SECONDS


def test_the_embedded_broker_takes_little_more() -> None:
    assert min(run(MEASURE.format(module="kafkars.testing"))[0] for _ in range(TRIES)) < TESTING_LIMIT_SECONDS


def test_it_brings_in_nothing_heavy() -> None:
    modules = output(IMPORTED).split()
    assert "kafkars" in modules
    assert not {"asyncio", "difflib", "ssl", "typing_extensions"} & set(modules)


def run(program: str) -> list[float]:
    return [float(word) for word in output(program).split()]


def output(program: str) -> str:
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    return ran.stdout
