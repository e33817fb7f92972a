"""What README and the guides have a reader type at a terminal does what they say that it does."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.waiting import SECONDS

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(python)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BROKER = re.compile(r"kafkars broker ([^`\n]*)")
KAFKARS = [sys.executable, "-m", "kafkars"]
GUIDE = (ROOT / "docs" / "guides" / "testing.md").read_text()
SESSIONS = [block for _, block in FENCE.findall(GUIDE) if block.startswith("$ ")]
README = (ROOT / "README.md").read_text()
PROGRAMS = [block for language, block in FENCE.findall(README) if language == "python"]


@contextmanager
def broker(arguments: str, said: list[str]) -> Iterator[str]:
    """Runs the command that a page names, on a free port in place of the usual one; gives what it listens on."""
    assert "--port 9092" in arguments
    command = [*KAFKARS, "broker", *arguments.replace("--port 9092", "--port 0").split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            first = process.stdout.readline().strip()
            servers = first.removeprefix("listening on ")
            assert first != servers, first
            rest = [process.stdout.readline().strip() for _ in said[1:]]
            assert [first.replace(servers, "127.0.0.1:9092"), *rest] == said or not said
            yield servers
        finally:
            process.terminate()
            process.wait(SECONDS)


def test_the_guide_has_two_sessions() -> None:
    assert len(SESSIONS) == 2
    assert SESSIONS[0].startswith("$ kafkars broker")


def test_what_is_typed_into_the_guides_terminals_gives_what_stands_there() -> None:
    command, *said = SESSIONS[0].splitlines()
    with broker(command.removeprefix("$ kafkars broker "), said) as servers:
        typed = ""
        expected: list[tuple[str, str]] = []
        for line in SESSIONS[1].splitlines(keepends=True):
            if line.startswith("$ "):
                typed = re.sub(
                    r"\bkafkars (produce|consume)",
                    lambda found: f"{sys.executable} -m kafkars {found[1]} --bootstrap {servers}",
                    line.removeprefix("$ "),
                )
                expected.append((typed, ""))
            else:
                expected[-1] = (typed, expected[-1][1] + line)
        for typed, shown in expected:
            ran = subprocess.run(["bash", "-c", typed], capture_output=True, text=True, timeout=SECONDS, check=False)
            assert (ran.stdout + ran.stderr, ran.returncode) == (shown, 0)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_programs_of_the_readme_run_beside_the_broker_that_it_names(number: int, tmp_path: Path) -> None:
    found = BROKER.search(README)
    assert found is not None
    with broker(found[1].strip(), []) as servers:
        program = tmp_path / "program.py"
        program.write_text(PROGRAMS[number].replace("localhost:9092", servers))
        ran = subprocess.run(
            [sys.executable, "-W", "error", str(program)], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    assert ran.returncode == 0, ran.stderr
    assert not ran.stderr
