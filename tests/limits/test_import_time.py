"""`import kafkars` is quick: a command line tool or a function in the cloud pays for it each time."""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
from pathlib import Path

import kafkars
import pytest

# Machines differ, and one machine with itself from hour to hour: what counts is processor time beside that of a module
# of Python's own in the same minute.
YARDSTICK = "asyncio"
LIMIT = 0.6
CLIENTS_LIMIT = 0.9
TESTING_LIMIT = 1.3
# The best of some: the limit is on the work, not on what else the machine does.
TRIES = 15

MEASURE = """
import time
started = time.process_time()
{imported}
print(time.process_time() - started)
"""

LOADED = """
import sys
before = set(sys.modules)
{imported}
print(*sorted(set(sys.modules) - before))
"""

# What each of these imports may bring in, of Python's own: these modules, and what they bring in themselves. What is
# missing here is either added, with a look at what it costs (`python -X importtime`), or imported where it is used.
LIGHT = "import importlib, typing, warnings"
CLIENTS = f"{LIGHT}, contextvars, math, threading"
# A finder in front of Python's own that finds nothing, as setuptools puts one into every program.
WATCHER = "import sys; sys.meta_path.insert(0, type('', (), {'find_spec': lambda self, *_: None})())"
ALLOWED = [
    pytest.param("import kafkars", LIGHT, id="kafkars"),
    pytest.param("import kafkars.aio", LIGHT, id="aio"),
    pytest.param("from kafkars import Consumer, Producer", CLIENTS, id="clients"),
    pytest.param("from kafkars.aio import Consumer, Producer", CLIENTS, id="aio clients"),
    pytest.param(
        "from kafkars.compat.confluent_kafka import Consumer, Producer",
        f"{CLIENTS}, importlib.util, logging, struct",
        id="confluent_kafka",
    ),
    pytest.param(
        f"{WATCHER}\nfrom kafkars.compat import install; install('confluent_kafka')",
        f"{LIGHT}, importlib.util",
        id="install with a watcher",
    ),
]


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """What pip does when it installs: without it, each start would compile every module again."""
    compileall.compile_dir(str(Path(kafkars.__file__).parent), quiet=2)


@pytest.mark.alone
def test_it_takes_less_than_asyncio() -> None:
    assert beside_the_yardstick("import kafkars") < LIMIT


@pytest.mark.alone
def test_both_clients_take_less_than_asyncio() -> None:
    assert beside_the_yardstick("from kafkars import Consumer, Producer") < CLIENTS_LIMIT


@pytest.mark.alone
def test_the_embedded_broker_takes_little_more() -> None:
    assert beside_the_yardstick("import kafkars.testing") < TESTING_LIMIT


@pytest.mark.parametrize(("imported", "allowed"), ALLOWED)
def test_it_brings_in_nothing_heavy(imported: str, allowed: str) -> None:
    heavy = sorted(loaded(imported) - loaded(allowed))
    assert not heavy, f"{imported!r} loads {heavy}; import them where they are used"


def loaded(imported: str) -> set[str]:
    """Python's own modules that come with an import. A face is seen by the name of its library as well."""
    modules = {name.partition(".")[0] for name in output(LOADED.format(imported=imported)).split()}
    # Names with an underscore are the C halves of others.
    return {name for name in modules if not name.startswith("_")} - {"kafkars", "confluent_kafka"}


def beside_the_yardstick(imported: str) -> float:
    """How many times the processor time of the yardstick an import takes; both are measured in turns."""
    yardstick = f"import {YARDSTICK}"
    rounds = [[float(output(MEASURE.format(imported=each))) for each in (imported, yardstick)] for _ in range(TRIES)]
    ours, theirs = (min(column) for column in zip(*rounds, strict=True))
    return ours / theirs


def output(program: str) -> str:
    command = [sys.executable, "-c", program]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30, env=environment)
    return ran.stdout
