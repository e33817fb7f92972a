"""Fetches a suite's sources from the package index, and runs its tests on one side."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.frameworks.suites.suite import Suite

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
CACHE = ROOT / ".cache" / "framework-suites"
PYTHON = CACHE / "venv" / "bin" / "python"
READY = CACHE / ".ready"
TEST_SECONDS = 120
SUITE_SECONDS = 900


@dataclass(frozen=True)
class Told:
    """What came of a suite's tests, by their names, and the texts of those that failed."""

    outcomes: dict[str, str]
    texts: dict[str, str]
    seconds: float

    @property
    def passed(self) -> set[str]:
        """Names of tests that have passed."""
        return {name for name, outcome in self.outcomes.items() if outcome == "passed"}


def sources(suite: Suite) -> Path:
    """The folder of a suite's source distribution."""
    folder = CACHE / f"{suite.name}-{suite.version}"
    if not (folder / ".ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        wanted = f"{suite.name}=={suite.version}"
        with tempfile.TemporaryDirectory() as fetched:
            subprocess.run([*download, "--no-binary", suite.name, "--dest", fetched, wanted], check=True)
            (archive,) = Path(fetched).glob("*.tar.gz")
            with tarfile.open(archive) as opened:
                for member in opened.getmembers():
                    _, _, member.name = member.name.partition("/")
                    if member.name:
                        opened.extract(member, folder, filter="data")
        (folder / ".ready").touch()
    return folder


def run(suite: Suite, side: str, address: str, only: str = "") -> Told:
    """Runs a suite on the "original" or the "face".

    Args:
        suite: Which.
        side: On what.
        address: Our broker's, host and port.
        only: As pytest's `-k`.
    """
    with tempfile.TemporaryDirectory(prefix="suite-") as temporary:
        folder, told = Path(temporary) / "sources", Path(temporary) / "told.json"
        shutil.copytree(sources(suite), folder)
        shutil.copy(HERE / "plugin.py", Path(temporary) / "suite_plugin.py")
        if suite.stand_ins:
            added = shutil.ignore_patterns("__init__.py", "__pycache__")
            shutil.copytree(HERE / "stand_ins" / suite.stand_ins, folder, dirs_exist_ok=True, ignore=added)
        names = {"address": address, "port": address.rpartition(":")[2]}
        replace(suite, folder, names)
        # Nothing of the framework's own configuration: it asks for plugins that are not here.
        options = [
            "-p",
            "suite_plugin",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:flaky",
            "-c",
            "/dev/null",
            "--rootdir",
            str(folder),
        ]
        limits = ["--timeout", str(TEST_SECONDS), "-W", "ignore", *(["-k", only] if only else [])]
        began = time.monotonic()
        finished = subprocess.run(
            [str(PYTHON), "-m", "pytest", "-q", *options, *limits, *suite.arguments, *suite.tests],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join((str(folder), temporary, str(ROOT / "python"))),
                "SUITE_LIBRARY": suite.library,
                "SUITE_SIDE": side,
                "SUITE_TOLD": str(told),
                **{name: value.format(**names) for name, value in suite.environment.items()},
            },
            capture_output=True,
            text=True,
            timeout=SUITE_SECONDS,
            check=False,
        )
        seconds = time.monotonic() - began
        if not told.exists():
            raise RuntimeError(f"{suite.name} on the {side} did not end:\n{finished.stdout}\n{finished.stderr}")
        return Told(**json.loads(told.read_text(encoding="utf-8")), seconds=seconds)


def replace(suite: Suite, folder: Path, names: dict[str, str]) -> None:
    """Points the tests at our broker."""
    if not suite.replaced:
        return
    for path in suite.tests:
        place = folder / path
        for file in place.rglob("*.py") if place.is_dir() else (place,):
            text = file.read_text(encoding="utf-8")
            for old, new in suite.replaced.items():
                text = text.replace(old, new.format(**names))
            file.write_text(text, encoding="utf-8")
