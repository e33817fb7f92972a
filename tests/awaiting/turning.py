"""What the tests of turns of the event loop share."""

from __future__ import annotations

import time

RECORDS = 40_000
"""Records of the topic `t`: reads of them need no wait for many turns."""


def work(seconds: float) -> None:
    """What a program does between its calls."""
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass
