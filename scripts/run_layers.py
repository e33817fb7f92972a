"""Runs every layer of `make test`, several at a time, and reports what ran, for how long, and what was left out.

A layer that fails does not stop the others: one run shows everything that is wrong. With CI=true a layer
that is left out counts as a failure, so a machine without Java cannot look green.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

JAVA_NEEDED = 17
FRAMEWORKS = Path("tests/frameworks/requirements.txt")
FRAMEWORKS_READY = Path(".cache/frameworks/.ready")
SUITES = Path("tests/frameworks/suites/requirements.txt")
SUITES_READY = Path(".cache/framework-suites/.ready")
SECOND_TRIES = "KAFKARS_SECOND_TRIES"
"""Names the file into which tests/conftest.py writes what passed, or failed, at its second try."""
SLOTS = "LAYERS_AT_ONCE"
SIGN_OF_LIFE_SECONDS = 60.0


@dataclass(frozen=True)
class Layer:
    """One make target.

    Args:
        target: Its name.
        budget: Seconds that it may take on a machine of two cores that has nothing built yet, beside another layer.
        needs: Layers that must have passed before this one begins.
        after: Layers that have ended before this one begins, whatever became of them.
        why_not: Answers why it cannot run here, or None.
        alone: True if nothing else may run beside it, because it measures.
    """

    target: str
    budget: int
    needs: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    why_not: Callable[[], str | None] = lambda: None
    alone: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of a layer: passed, FAILED or left out, and what to say about it."""

    layer: Layer
    word: str
    note: str = ""
    seconds: float = 0.0
    processor: float = 0.0

    def row(self) -> str:
        """One line of the table."""
        if self.word == "left out":
            return f"  {self.word:<9} {self.layer.target:<15} {self.note}"
        times = f"{self.seconds:6.0f} s of {self.layer.budget:5} s   processor {self.processor:6.0f} s"
        over = "over its budget" if self.seconds > self.layer.budget else ""
        return (
            f"  {self.word:<9} {self.layer.target:<15} {times}   {' '.join(filter(None, [self.note, over]))}".rstrip()
        )


@dataclass
class Board:
    """What runs and what has ended; every access holds `changed`."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    running: dict[str, float] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)


def main() -> int:
    in_ci = os.environ.get("CI", "").lower() not in {"", "0", "false"}
    # Layers have several processes each: with more of them than cores, tests that wait for a broker run out of time.
    slots = int(os.environ.get(SLOTS) or max(os.cpu_count() or 1, 2))
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kafkars-layers-") as folder:
        second_tries = Path(folder) / "second tries"
        os.environ[SECOND_TRIES] = str(second_tries)
        outcomes = run_all(LAYERS, slots, Path(folder))
        tried_again = second_tries.read_text().splitlines() if second_tries.exists() else []

    print("\nlayers:")
    for outcome in outcomes:
        print(outcome.row())
    print(f"  all       {'':<15} {time.monotonic() - started:6.0f} s, up to {slots} layers at once")
    for test in tried_again:
        print(f"needed a second try, which is a defect: {test}")
    failed = any(outcome.word == "FAILED" for outcome in outcomes)
    left_out = any(outcome.word == "left out" for outcome in outcomes)
    if left_out and in_ci:
        print("CI=true: a layer that is left out is a failure")
    return int(failed or (left_out and in_ci))


def run_all(layers: list[Layer], slots: int, folder: Path) -> list[Outcome]:
    """Runs the layers, in their order where nothing else decides, and answers what became of them in that order."""
    board = Board()
    waiting = list(layers)
    with board.changed:
        while waiting or board.running:
            while (layer := next_to_start(waiting, board, slots)) is not None:
                waiting.remove(layer)
                begin(layer, board, folder)
            if not board.changed.wait(SIGN_OF_LIFE_SECONDS):
                print(f"... {', '.join(say_running(board))}", flush=True)
    return [board.outcomes[layer.target] for layer in layers]


def next_to_start(waiting: list[Layer], board: Board, slots: int) -> Layer | None:
    if len(board.running) >= slots:
        return None
    alone = {layer.target for layer in LAYERS if layer.alone}
    if alone & board.running.keys():
        return None
    for layer in waiting:
        free_to_start = not board.running and all(other.alone for other in waiting) if layer.alone else True
        if free_to_start and all(name in board.outcomes for name in (*layer.needs, *layer.after)):
            return layer
    return None


def begin(layer: Layer, board: Board, folder: Path) -> None:
    broken = [name for name in layer.needs if board.outcomes[name].word != "passed"]
    reason = f"{broken[0]} did not pass" if broken else layer.why_not()
    if reason is not None:
        board.outcomes[layer.target] = Outcome(layer, "left out", reason)
        return
    print(f"=== {layer.target}: begins", flush=True)
    board.running[layer.target] = time.monotonic()
    threading.Thread(target=run, args=(layer, board, folder / layer.target)).start()


def run(layer: Layer, board: Board, log: Path) -> None:
    """Runs a layer; what it prints is printed when it has ended, so that layers do not talk into each other."""
    started = time.monotonic()
    command = ["make", "--no-print-directory", layer.target, f"BUILT={int('build' in layer.needs)}"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
    seconds, processor = time.monotonic() - started, usage.ru_utime + usage.ru_stime
    word, note = ("passed", "") if code == 0 else ("FAILED", f"exit status {code}")
    with board.changed:
        print(f"=== {layer.target}: {word} after {seconds:.0f} s; it said:", flush=True)
        sys.stdout.flush()
        sys.stdout.buffer.write(log.read_bytes())
        sys.stdout.buffer.flush()
        del board.running[layer.target]
        board.outcomes[layer.target] = Outcome(layer, word, note, seconds, processor)
        board.changed.notify()


def say_running(board: Board) -> list[str]:
    now = time.monotonic()
    return [f"{target} for {now - since:.0f} s" for target, since in board.running.items()]


def no_maven() -> str | None:
    return None if shutil.which("mvn") else "no mvn on PATH: it fetches Kafka's jars"


def no_jvm() -> str | None:
    if (reason := no_maven()) is not None:
        return reason
    if shutil.which("java") is None:
        return "no java on PATH: it runs Kafka"
    text = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', text)
    if found is None or int(found.group(1)) < JAVA_NEEDED:
        return f"java >= {JAVA_NEEDED} is needed, found: {text.splitlines()[0] if text else 'nothing'}"
    return None


def no_frameworks() -> str | None:
    wanted = ((FRAMEWORKS, FRAMEWORKS_READY), (SUITES, SUITES_READY))
    if all(ready.exists() and ready.stat().st_mtime >= asked.stat().st_mtime for asked, ready in wanted):
        return None
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps", "--ignore-installed"]
    reached = subprocess.run([*pip, "-r", str(FRAMEWORKS)], capture_output=True, check=False)
    return None if reached.returncode == 0 else "no package index to install the frameworks from"


def no_spark() -> str | None:
    if (reason := no_jvm()) is not None:
        return reason
    if importlib.util.find_spec("pyspark") is not None:
        return None
    # A dry run of the installation would download all of it.
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", "pyspark"], capture_output=True, check=False
    )
    return None if asked.returncode == 0 else "no package index to install PySpark from"


# What takes longest comes first, so that it is not what the others wait for at the end. One cargo at a time
# in each of its folders: lint-rust and test-rust would only wait for each other.
LAYERS = [
    # These two share the cores for all of their time; alone, a cold build takes about 340 s.
    Layer("build", 660),
    Layer("lint-rust", 400),
    Layer("lint-generated", 120),
    Layer("test-kafka", 900, ("build",), why_not=no_jvm),
    Layer("test-python", 1_380, ("build",)),
    Layer("test-rust", 600, after=("lint-rust",)),
    # Spark and its broker are two busy JVMs: not beside the layer that keeps most brokers busy.
    Layer("test-spark", 900, ("build",), after=("test-kafka",), why_not=no_spark),
    Layer("test-kafka-old", 600, ("build",), why_not=no_jvm),
    Layer("test-chaos", 420, ("build",), why_not=no_jvm),
    Layer("test-frameworks", 300, ("build",), why_not=no_frameworks),
    Layer("test-wheel", 360, ("build",)),
    Layer("lint-python", 180, ("build",)),
    Layer("test-alone", 180, ("build",), alone=True),
]

if __name__ == "__main__":
    sys.exit(main())
