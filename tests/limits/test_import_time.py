"""`import kafkars` is quick: a command line tool or a function in the cloud pays for it each time."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.alone

# Machines differ, and one machine with itself from hour to hour: what counts is processor time beside that of a module
# of Python's own in the same minute.
YARDSTICK = "asyncio"
LIMIT = 1.8
TESTING_LIMIT = 2.2
# The best of some: the limit is on the work, not on what else the machine does.
TRIES = 15

MEASURE = """
import time
started = time.process_time()
import {module}
print(time.process_time() - started)
"""

IMPORTED = """
import sys
import kafkars
print(*sys.modules)
"""


def test_it_takes_little_more_than_asyncio() -> None:
    assert beside_the_yardstick("kafkars") < LIMIT


def test_the_embedded_broker_takes_little_more() -> None:
    assert beside_the_yardstick("kafkars.testing") < TESTING_LIMIT


def test_it_brings_in_nothing_heavy() -> None:
    modules = output(IMPORTED).split()
    assert "kafkars" in modules
    assert not {"asyncio", "difflib", "ssl", "typing_extensions"} & set(modules)


def beside_the_yardstick(module: str) -> float:
    """How many times the processor time of the yardstick an import takes; both are measured in turns."""
    rounds = [[float(output(MEASURE.format(module=each))) for each in (module, YARDSTICK)] for _ in range(TRIES)]
    ours, theirs = (min(column) for column in zip(*rounds, strict=True))
    return ours / theirs


def output(program: str) -> str:
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    return ran.stdout
