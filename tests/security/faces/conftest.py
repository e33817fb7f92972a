"""Processes that run one library each and are told cases."""

from __future__ import annotations

import json
import selectors
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from tests.security.conftest import SecureKafka
from tests.security.faces.case import Case, to_json
from tests.security.faces.cases import write_files

ROOT = Path(__file__).resolve().parents[3]
KAFKA_PYTHON = ROOT / ".cache" / "kafka-python-2"
ORIGINALS = {"confluent": "original", "aiokafka": "original", "kafka": str(KAFKA_PYTHON)}
SECONDS = 90.0
"""How long a case may take."""


class Program:
    """A process that runs cases on one library."""

    def __init__(self, library: str, side: str, *words: str) -> None:
        self.command = [sys.executable, "-m", f"tests.security.faces.{library}_program"]
        self.command += ["face" if side == "face" else ORIGINALS[library], *words]
        self.process: subprocess.Popen[str] | None = None

    def run(self, case: Case) -> tuple[dict[str, Any], dict[str, float]]:
        """What the case told, and how long its steps took."""
        if self.process is None:
            # A file: a pipe that nobody reads is full at some point.
            self.errors = TemporaryFile("w+")  # noqa: SIM115  read when the process has ended
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True, cwd=ROOT
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(to_json(case))
        self.process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            if not selector.select(SECONDS):
                self.stop()
                pytest.fail(f"{self.command[-1]}: {case.name} did not end within {SECONDS} s")
        line = self.process.stdout.readline()
        if not line:
            pytest.fail(f"{self.command[-1]}: {case.name} ended its process: {self.stop()[-2000:]}")
        steps, seconds = json.loads(line)
        return steps, seconds

    def stop(self) -> str:
        """Ends the process. What it wrote to its standard error."""
        if self.process is None:
            return ""
        self.process.kill()
        self.process.communicate(timeout=10)
        self.process = None
        with self.errors:
            self.errors.seek(0)
            return self.errors.read()


@pytest.fixture(scope="session")
def programs() -> Iterator[dict[tuple[str, str], Program]]:
    """One for each library and each of its sides, started when it is needed."""
    made = {(library, side): Program(library, side) for library in ORIGINALS for side in ("face", "original")}
    yield made
    for program in made.values():
        program.stop()


@pytest.fixture(scope="session")
def clients(secure_kafka: SecureKafka) -> Path:
    """The folder with certificates of clients."""
    folder = secure_kafka.folder / "clients"
    folder.mkdir()
    write_files(folder, secure_kafka)
    return folder
