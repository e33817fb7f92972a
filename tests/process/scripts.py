"""Programs of their own: run from text, with the package of this run, and never longer than a few seconds."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass

PRELUDE = """
import asyncio, os, sys, threading, time
import kafkars, kafkars.aio
from kafkars import Consumer, Producer
from kafkars.errors import *
from kafkars.testing import EmbeddedBroker
"""

TIME_LIMIT = 20.0


@dataclass(frozen=True)
class Finished:
    """How a program ended."""

    code: int
    output: str
    errors: str
    seconds: float
    """From its last line of output, which it prints when its work is done, to its end."""


UNCLOSED = [
    *(f"ignore:{client} was not closed:ResourceWarning" for client in ("a producer", "a consumer", "an administrator")),
    "ignore:an embedded broker was not stopped:ResourceWarning",
]
"""What is said of clients that scripts leave open on purpose."""

STRICT = tuple(word for each in ["error", *UNCLOSED] for word in ("-W", each))


def run(script: str, *, options: tuple[str, ...] = STRICT) -> Finished:
    """Runs a script to its end."""
    text = PRELUDE + textwrap.dedent(script)
    program = subprocess.Popen(
        [sys.executable, *options, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        output, errors = program.communicate(timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        program.kill()
        output, errors = program.communicate()
        raise AssertionError(f"the program did not end; it said {output!r} and {errors!r}") from None
    ended = time.monotonic()
    done = [line for line in output.splitlines() if line.startswith("done at ")]
    since = float(done[-1].removeprefix("done at ")) if done else ended
    return Finished(program.returncode, output, errors, ended - since)
