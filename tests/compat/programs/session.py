"""Runs all programs of a library once for each side and broker, and keeps what they told."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from tests.compat.programs.runner import SECONDS

ENOUGH = 400.0
HERE = Path(__file__).parent


def listed(library: str) -> tuple[str, ...]:
    """The names in each module's PROGRAMS, without importing the libraries into this process."""
    names: list[str] = []
    for file in sorted((HERE / f"of_{library}").glob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PROGRAMS":
                names += [ast.unparse(element) for element in node.value.elts]  # type: ignore[attr-defined]
    return tuple(names)


PROGRAMS = {library: listed(library) for library in ("aiokafka", "confluent_kafka")}


Run = tuple[str, str, str]
Outcomes = dict[str, dict[str, Any]]


@cache
def compared(*runs: Run) -> list[Outcomes]:
    """The outcomes of all programs of runs, each a library, a side and a broker's address. They run side by side: they
    wait most of the time."""
    with ThreadPoolExecutor() as threads:
        return list(threads.map(lambda run: outcomes(*run, PROGRAMS[run[0]]), runs))


def outcomes(library: str, side: str, servers: str, names: tuple[str, ...]) -> Outcomes:
    """What each program told, and how it ended. A program that hangs ends its process; the next ones get another."""
    found: dict[str, dict[str, Any]] = defaultdict(lambda: {"told": [], "end": "never began"})
    left = list(names)
    while left:
        process = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.compat.programs.runner", library, side, servers, *left],
            capture_output=True,
            text=True,
            timeout=ENOUGH,
            check=False,
        )
        began = None
        for line in process.stdout.splitlines():
            event = json.loads(line)
            program = event.pop("program")
            ((kind, value),) = event.items()
            if kind == "told":
                found[program]["told"].append(value)
            elif kind == "began":
                began = program
                found[program]["end"] = f"hung for {SECONDS:.0f} s or died\n{process.stderr[-3000:]}"
            elif kind == "failed":
                found[program]["end"] = value
            elif not found[program]["end"].startswith("Traceback"):
                found[program]["end"] = "ended"
        if process.returncode == 0:
            break
        if began is None:
            raise AssertionError(f"no program ran: {process.stderr[-3000:]}")
        left = left[left.index(began) + 1 :]
    return found


def agree(original: Any, face: Any) -> bool:
    """Whether both tell the same. An error of the face may be several classes in one; the original's must be among
    them."""
    if isinstance(original, dict) and isinstance(face, dict):
        return original["caught as"][0] in face["caught as"] and original["code"] == face["code"]
    if isinstance(original, list) and isinstance(face, list):
        return len(original) == len(face) and all(map(agree, original, face))
    return bool(original == face)
