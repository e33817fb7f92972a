"""One Kafka process: format, start, stop, kill, pause, resume."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.kafka.config import CLUSTER_ID, server_properties

if TYPE_CHECKING:
    from tests.kafka.config import KafkaOptions, NodeAddress

SUPERVISE = Path(__file__).with_name("supervise.py")
GRACE_SECONDS = 20.0
FORMAT_SECONDS = 120.0
QUIET = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true")


class Node:
    """A node of a cluster. Its data and ports survive `stop`, `kill` and `start`."""

    def __init__(
        self, options: KafkaOptions, libs: Path, folder: Path, addresses: list[NodeAddress], index: int
    ) -> None:
        self.address = addresses[index]
        self.log = folder / "server.log"
        self._libs = libs
        self._jvm_options = options.jvm
        self._properties = folder / "server.properties"
        self._supervisor: subprocess.Popen[str] | None = None
        self._pid = 0
        folder.mkdir(parents=True)
        self._properties.write_text(server_properties(options, self.address, addresses, folder / "data"))

    @property
    def bootstrap(self) -> str:
        """The node's own address for clients."""
        return self.address.bootstrap

    @property
    def is_running(self) -> bool:
        """Whether the process is there; a paused one is."""
        return self._supervisor is not None and self._supervisor.poll() is None

    def begin_format(self) -> subprocess.Popen[str]:
        """Writes the storage's identity; the caller waits, so that several nodes are formatted at once."""
        command = self._java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(self._properties))
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def start(self) -> None:
        """Starts the process; `KafkaCluster.wait_ready` waits until it serves."""
        if self.is_running:
            return
        command = [
            sys.executable,
            str(SUPERVISE),
            str(GRACE_SECONDS),
            *self._java("kafka.Kafka", str(self._properties)),
        ]
        with self.log.open("ab") as log:
            # A session of its own: Ctrl+C in a terminal reaches the tests, and they stop the nodes.
            self._supervisor = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        assert self._supervisor.stdout is not None
        line = self._supervisor.stdout.readline()
        if not line:
            raise RuntimeError(f"java could not be started; see {self.log}")
        self._pid = int(line)

    def stop(self) -> None:
        """Asks the node to leave in good order, which moves its leaders away first."""
        self.begin_stop()
        self.wait_stopped()

    def begin_stop(self) -> None:
        """The first half of `stop`, so that all nodes of a cluster can leave at once."""
        if self._supervisor is not None and self._supervisor.stdin is not None:
            self.resume()
            self._supervisor.stdin.close()

    def wait_stopped(self) -> None:
        """The second half of `stop`."""
        if self._supervisor is None:
            return
        self._supervisor.wait(GRACE_SECONDS + 10)
        self._forget()

    def kill(self) -> None:
        """Ends the process at once, as a power cut would."""
        self._signal(signal.SIGKILL)
        if self._supervisor is not None:
            self._supervisor.wait(GRACE_SECONDS)
            self._forget()

    def pause(self) -> None:
        """Stops the process from running; its sockets stay open and answer nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Lets a paused process go on."""
        self._signal(signal.SIGCONT)

    def log_tail(self, lines: int = 40) -> str:
        """The end of what the process wrote, for a failure's message."""
        if not self.log.exists():
            return "(no log)"
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def _java(self, *arguments: str) -> list[str]:
        return ["java", *self._jvm_options, *QUIET, "-cp", f"{self._libs}/*", *arguments]

    def _signal(self, number: signal.Signals) -> None:
        # The supervisor reaps the JVM only when it ends itself, so while it runs the id is the JVM's.
        if self.is_running:
            os.kill(self._pid, number)

    def _forget(self) -> None:
        assert self._supervisor is not None
        for pipe in (self._supervisor.stdin, self._supervisor.stdout):
            if pipe is not None:
                pipe.close()
        self._supervisor = None
