"""A test that hangs in one of several processes is named, and where it hung is seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# It starts pytest three times, which a busy machine takes its time for.
pytestmark = pytest.mark.timeout(180)

ROOT = Path(__file__).resolve().parents[2]
HANGS = """
import threading, pytest

@pytest.mark.timeout(1, method="thread")
def test_that_hangs():
    threading.Event().wait()

@pytest.mark.parametrize("number", range(10))
def test_that_passes(number):
    pass
"""


def test_the_stacks_of_a_hung_test_are_printed_and_the_others_run(tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    (tmp_path / "test_hangs.py").write_text(HANGS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    pytest_here = [sys.executable, "-m", "pytest", "-p", "tests.support.workers", "-n", "2", "--dist", "worksteal"]
    ran = subprocess.run(
        [*pytest_here, "--rootdir", str(tmp_path), "-c", str(tmp_path / "pytest.ini"), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert "threading.Event().wait()" in ran.stderr, ran.stdout + ran.stderr
    assert "time-out of test_hangs.py::test_that_hangs" in ran.stderr
    assert "1 failed, 10 passed" in ran.stdout


def test_a_failure_tells_what_the_machine_did(tmp_path: Path) -> None:
    (tmp_path / "test_fails.py").write_text("def test_that_fails(): assert False\n")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    pytest_here = [sys.executable, "-m", "pytest", "-p", "tests.support.machine"]
    ran = subprocess.run(
        [*pytest_here, "--rootdir", str(tmp_path), "-c", str(tmp_path / "pytest.ini"), str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert "waiting for a disk: " in ran.stdout
