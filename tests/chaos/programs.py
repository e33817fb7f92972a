"""Programs that are killed and started again: a crash as the operating system does it, no handler runs."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from tests.kafka.jars import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

SECONDS_TO_END = 10.0


class Program:
    """`python -m MODULE ARGUMENTS`, as a context manager. It has no reason to end but being killed."""

    def __init__(self, log: Path, module: str, *arguments: str) -> None:
        self.log = log
        self.kills = 0
        self.freezes = 0
        self._command = [sys.executable, "-m", module, *arguments]
        self._running: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def start(self) -> None:
        """Starts it, if it does not run."""
        with self._lock, self.log.open("ab") as log:
            if self._running is None:
                self._running = subprocess.Popen(
                    self._command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )

    def kill(self) -> None:
        """Ends it at once (SIGKILL)."""
        self.check()
        with self._lock:
            if self._running is not None:
                self._running.kill()
                self._running.wait(SECONDS_TO_END)
                self._running = None
                self.kills += 1

    def freeze(self, seconds: float) -> None:
        """Stops it for a while (SIGSTOP), then lets it go on as if nothing had happened."""
        self.check()
        with self._lock:
            if self._running is not None:
                self._running.send_signal(signal.SIGSTOP)
                threading.Event().wait(seconds)
                self._running.send_signal(signal.SIGCONT)
                self.freezes += 1

    def restart(self) -> None:
        """A crash, and what watches over the program starts it again."""
        self.kill()
        self.start()

    def check(self) -> None:
        """Raises when it ended by itself, with the end of what it said."""
        code = None if self._running is None else self._running.poll()
        assert code is None, f"{' '.join(self._command[1:])} ended with {code}:\n{self.said()}"

    def said(self) -> str:
        """The end of its output."""
        return self.log.read_text(errors="replace")[-4_000:]

    def __enter__(self) -> Program:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.kill()
        elif self._running is not None:
            self._running.kill()
            self._running.wait(SECONDS_TO_END)
