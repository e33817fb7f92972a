"""The broker that is measured against, never in a client's process."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from benches.compare.tls import LISTENER, broker_options
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


class Running(NamedTuple):
    """A broker in a process of its own."""

    address: str
    name: str
    pid: int
    # With a listener for TLS: its address, and the file of the authority.
    tls_address: str = ""
    ca: str = ""

    def cpu_seconds(self) -> float:
        """Processor time that its process has used, all threads, to 10 ms. Linux only."""
        stat = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii", errors="replace")
        # The name of the program comes first, in brackets, and may hold spaces.
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(kind: str, version: str, *, tls: bool = False) -> Iterator[Running]:
    """Starts a broker and ends it."""
    if tls:
        if kind != "real":
            raise SystemExit("jobs over TLS need --broker real: the embedded broker has no listener for it")
        with TemporaryDirectory() as folder, KafkaCluster(broker_options(version, Path(folder))) as kafka:
            port = kafka.nodes[0].address.listener_ports[LISTENER]
            name = f"Apache Kafka {version} ({' '.join(BENCHMARK_JVM)}), TLS"
            ca = str(Path(folder) / "ca.pem")
            yield Running(kafka.bootstrap_servers, name, kafka.nodes[0].pid, f"127.0.0.1:{port}", ca)
    elif kind == "real":
        with KafkaCluster(KafkaOptions(version=version, jvm=BENCHMARK_JVM)) as kafka:
            name = f"Apache Kafka {version} ({' '.join(BENCHMARK_JVM)})"
            yield Running(kafka.bootstrap_servers, name, kafka.nodes[0].pid)
    else:
        command = [sys.executable, "-c", EMBEDDED]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address:
                raise RuntimeError("the embedded broker did not start")
            yield Running(address, "kafkars embedded broker", process.pid)
