"""`make test`: runs every layer, cheapest first, and says at the end which ran and which were left out.

A layer that fails does not stop the others: one run shows everything that is wrong. With CI=true a layer
that is left out counts as a failure, so a machine without Java cannot look green.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

JAVA_NEEDED = 17
FRAMEWORKS = Path("tests/frameworks/requirements.txt")
FRAMEWORKS_READY = Path(".cache/frameworks/.ready")


def main() -> int:
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    outcomes = [run(layer) for layer in LAYERS]

    print("\nlayers:")
    for outcome in outcomes:
        print(f"  {outcome.word:<9} {outcome.layer.target:<14} {outcome.note}")
    failed = any(outcome.word == "FAILED" for outcome in outcomes)
    left_out = any(outcome.word == "left out" for outcome in outcomes)
    if left_out and in_ci:
        print("CI=true: a layer that is left out is a failure")
    return int(failed or (left_out and in_ci))


@dataclass(frozen=True)
class Layer:
    """One make target, and a check that answers why it cannot run here (or None)."""

    target: str
    why_not: Callable[[], str | None]


@dataclass(frozen=True)
class Outcome:
    """What became of a layer: passed, FAILED or left out, and what to say about it."""

    layer: Layer
    word: str
    note: str


def run(layer: Layer) -> Outcome:
    reason = layer.why_not()
    if reason is not None:
        return Outcome(layer, "left out", reason)
    print(f"\n=== make {layer.target} ===", flush=True)
    started = time.monotonic()
    code = subprocess.run(["make", "--no-print-directory", layer.target], check=False).returncode
    took = f"{time.monotonic() - started:.0f} s"
    return Outcome(layer, "passed", took) if code == 0 else Outcome(layer, "FAILED", f"exit status {code}, {took}")


def nothing_needed() -> str | None:
    return None


def no_jvm() -> str | None:
    if shutil.which("mvn") is None:
        return "no mvn on PATH: it fetches Kafka's jars"
    if shutil.which("java") is None:
        return "no java on PATH: it runs Kafka"
    text = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', text)
    if found is None or int(found.group(1)) < JAVA_NEEDED:
        return f"java >= {JAVA_NEEDED} is needed, found: {text.splitlines()[0] if text else 'nothing'}"
    return None


def no_frameworks() -> str | None:
    if FRAMEWORKS_READY.exists() and FRAMEWORKS_READY.stat().st_mtime >= FRAMEWORKS.stat().st_mtime:
        return None
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps", "--ignore-installed"]
    reached = subprocess.run([*pip, "-r", str(FRAMEWORKS)], capture_output=True, check=False)
    return None if reached.returncode == 0 else "no package index to install the frameworks from"


LAYERS = [
    Layer("lint", nothing_needed),
    Layer("test-rust", nothing_needed),
    Layer("test-python", nothing_needed),
    Layer("test-frameworks", no_frameworks),
    Layer("test-kafka", no_jvm),
    Layer("test-chaos", no_jvm),
    Layer("test-kafka-old", no_jvm),
]

if __name__ == "__main__":
    sys.exit(main())
