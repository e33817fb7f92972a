"""Ports for servers that are stopped and started again."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack
from pathlib import Path

RANGE_FILE = Path("/proc/sys/net/ipv4/ip_local_port_range")
LOWEST = 12_000
USUAL_FIRST_EPHEMERAL = 32_768
ATTEMPTS = 1_000


def choose(count: int) -> list[int]:
    """Ports of 127.0.0.1 that are free now. All are held until all are chosen, so that none is chosen twice.

    They are none of those that the system gives to outgoing connections. While a server is down, its port could become
    the local end of some client's connection, and the server could not come back; a client that tries such a port
    again and again can even end up connected to itself.
    """
    highest = first_ephemeral()
    chosen: list[int] = []
    with ExitStack() as held:
        for _ in range(ATTEMPTS):
            if len(chosen) == count:
                return chosen
            port = random.randrange(LOWEST, highest)
            listener = held.enter_context(socket.socket())
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            chosen.append(port)
    raise RuntimeError(f"no {count} free ports between {LOWEST} and {highest} after {ATTEMPTS} attempts")


def first_ephemeral() -> int:
    """Where the ports of outgoing connections begin."""
    try:
        first = int(RANGE_FILE.read_text().split()[0])
    except (OSError, ValueError):
        first = USUAL_FIRST_EPHEMERAL
    # A system that gives out nearly every port leaves no choice.
    return first if first >= LOWEST + ATTEMPTS else USUAL_FIRST_EPHEMERAL
