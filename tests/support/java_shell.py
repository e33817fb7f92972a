"""Kafka's command line tools in one JVM that stays: starting one costs more than what most of them do."""

from __future__ import annotations

import base64
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.java_tools import SECONDS, ToolFailedError, command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

# Java compiles and runs a single file by itself.
PROGRAM = Path(__file__).with_name("Tools.java")


class JavaShell:
    """Runs tools one after the other. Its `run` stands for `java_tools.run`, which starts a JVM each time."""

    def __init__(self) -> None:
        self._process = self._start()

    @classmethod
    def _start(cls) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            command(str(PROGRAM), ()), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="ascii"
        )
        assert process.stdout is not None
        # Java compiles the program first, which is no part of a tool's time.
        too_late = threading.Timer(SECONDS, cls._end, [process])
        too_late.start()
        ready = process.stdout.readline()
        too_late.cancel()
        if ready != "ready\n":
            raise ToolFailedError(f"the JVM of the tools did not start within {SECONDS:.0f} s: {ready}")
        return process

    def run(self, tool: str, arguments: Sequence[str], given: str = "") -> str:
        """What a tool writes to standard output."""
        if self._process.poll() is not None:
            # A tool that had no end took it along; the next one is not to blame.
            self.close()
            self._process = self._start()
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        call = "\0".join([tool, given, *arguments]).encode()
        what = f"{tool} {' '.join(arguments)}"
        too_late = threading.Timer(SECONDS, self._end, [process])
        too_late.start()
        try:
            process.stdin.write(base64.b64encode(call).decode() + "\n")
            process.stdin.flush()
            answer = process.stdout.readline().rstrip("\n").split(" ")
        finally:
            too_late.cancel()
        if len(answer) != 3:
            rest = " ".join(answer) + "\n" + process.stdout.read()
            ended = process.wait(SECONDS)
            raise ToolFailedError(f"{what} had no end within {SECONDS:.0f} s, or ended the JVM with {ended}:\n{rest}")
        status, out, err = int(answer[0]), *(base64.b64decode(part).decode() for part in answer[1:])
        if status != 0:
            raise ToolFailedError(f"{what} ended with {status}:\n{out}\n{err}")
        return out

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        """Ends a JVM that has no end, after it has said where its threads are."""
        process.send_signal(signal.SIGQUIT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        process.kill()

    def close(self) -> None:
        """Ends the JVM."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
