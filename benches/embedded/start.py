"""From nothing to the first stored record, in one process."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from typing import Any

from kafkars import Producer
from kafkars.testing import EmbeddedBroker

# In a process of its own: the first broker of a process pays for the runtime's threads and for cold code.
PROGRAM = """
from benches.embedded.start import once
print(once())
"""
SECONDS = 60


def measure(options: argparse.Namespace) -> Any:
    first = [in_new_process() for _ in range(options.rounds)]
    once()
    later = [once() for _ in range(options.rounds * 4)]
    found = {
        "first_of_process_ms": [round(each * 1e3, 3) for each in first],
        "later_ms": [round(each * 1e3, 3) for each in later],
    }
    for name, times in (("first broker of a process", first), ("later ones", later)):
        median, worst = statistics.median(times) * 1e3, max(times) * 1e3
        print(f"start to first record, {name}: {median:.2f} ms (median of {len(times)}, worst {worst:.2f})")
    return found


def once() -> float:
    """Seconds from before the broker is made until a record in it is acknowledged."""
    started = time.perf_counter()
    with EmbeddedBroker() as broker, Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("first", b"record").result(SECONDS)
        return time.perf_counter() - started


def in_new_process() -> float:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=SECONDS)
    return float(ran.stdout)
