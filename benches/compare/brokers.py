"""The broker that is measured against, never in a client's process."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.kafka import BENCHMARK_JVM, KafkaCluster, KafkaOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

# Started with an address in its output; ends when its input ends.
EMBEDDED = """
import sys
from kafkars.testing import EmbeddedBroker
with EmbeddedBroker() as broker:
    print(broker.bootstrap_servers, flush=True)
    sys.stdin.read()
"""


@contextmanager
def running(kind: str, version: str) -> Iterator[tuple[str, str]]:
    """Answers the address and what it is."""
    if kind == "real":
        with KafkaCluster(KafkaOptions(version=version, jvm=BENCHMARK_JVM)) as kafka:
            yield kafka.bootstrap_servers, f"Apache Kafka {version} ({' '.join(BENCHMARK_JVM)})"
    else:
        command = [sys.executable, "-c", EMBEDDED]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError("the embedded broker did not start")
            yield address, "kafkars embedded broker"
