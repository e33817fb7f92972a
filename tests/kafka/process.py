"""One JVM of the tests: start, stop, kill, pause, resume. It never outlives the test run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SUPERVISE = Path(__file__).with_name("supervise.py")
GRACE_SECONDS = 20.0
QUIET = ("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true")


def java(libs: Path, jvm_options: Sequence[str], *arguments: str) -> list[str]:
    """The command line of a Java program with the jars of one folder."""
    return ["java", *jvm_options, *QUIET, "-cp", f"{libs}/*", *arguments]


class JavaProcess:
    """A server in a JVM. It can be started again after `stop` and `kill`."""

    def __init__(self, command: list[str], log: Path) -> None:
        self.log = log
        self._command = command
        self._supervisor: subprocess.Popen[str] | None = None
        self._pid = 0

    @property
    def is_running(self) -> bool:
        """Whether the process is there; a paused one is."""
        return self._supervisor is not None and self._supervisor.poll() is None

    @property
    def pid(self) -> int:
        """The id of the process; 0 before the first start."""
        return self._pid

    def start(self) -> None:
        """Starts the process and does not wait until it serves."""
        if self.is_running:
            return
        command = [sys.executable, str(SUPERVISE), str(GRACE_SECONDS), *self._command]
        with self.log.open("ab") as log:
            # A session of its own: Ctrl+C in a terminal reaches the tests, and they stop the servers.
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
        """Asks the server to leave in good order; a broker moves its leaders away first."""
        if self._supervisor is None or self._supervisor.stdin is None:
            return
        self.resume()
        self._supervisor.stdin.close()
        self._supervisor.wait(GRACE_SECONDS + 10)
        self._forget()

    def kill(self) -> None:
        """Ends the process at once (SIGKILL), as a power cut would."""
        self._signal(signal.SIGKILL)
        if self._supervisor is not None:
            self._supervisor.wait(GRACE_SECONDS)
            self._forget()

    def pause(self) -> None:
        """Stops the process from running (SIGSTOP); its sockets stay open and answer nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Lets a paused process go on (SIGCONT)."""
        self._signal(signal.SIGCONT)

    def log_tail(self, lines: int = 40) -> str:
        """The end of what the process wrote, for a failure's message."""
        if not self.log.exists():
            return "(no log)"
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

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
