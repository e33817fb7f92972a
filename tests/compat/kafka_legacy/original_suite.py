"""Runs the tests of kafka-python 0.9.5 itself on the face, unit tests and those that want brokers.

    python -m tests.compat.kafka_legacy.original_suite FOLDER [pytest's arguments]

FOLDER has the unpacked sources, `six` and `mock` (`make test-kafka-legacy` makes it). Brokers are those of
kafkars.testing, or with `KAFKARS_SUITE_KAFKA=4.3.1` that Apache Kafka's (five minutes instead of two). What fails must
be in `reasons_of_the_original_suite.py`, and what is there must fail.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.compat.kafka_legacy.reasons_of_the_original_suite import REASONS

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = Path(__file__).with_name("original_fixtures.py")

CONFTEST = """
from kafkars.compat import install

install("kafka", version="0.9.5")
"""

# `async` is a keyword now; numbers of brokers begin at 1 here; a module of the tests makes assertEquals of unittest.
CHANGES = (
    (r"\basync=(?=\w)", "async_="),
    (r"self\.brokers\[leader\.nodeId\]", "self.brokers[leader.nodeId - 1]"),
)


def prepare(folder: Path, into: Path) -> None:
    """Copies the tests, as Python of today can read them."""
    package = into / "test"
    package.mkdir()
    (into / "conftest.py").write_text(CONFTEST)
    (package / "__init__.py").write_text("import unittest\n")
    (package / "fixtures.py").write_text(FIXTURES.read_text())
    for file in (folder / "test").glob("*.py"):
        text = file.read_text()
        for pattern, replacement in CHANGES:
            text = re.sub(pattern, replacement, text)
        (package / file.name).write_text(text)


def run(folder: Path, arguments: list[str]) -> dict[str, str]:
    """What became of each test: "passed", "failed" or "skipped"."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        prepare(folder, work)
        report = work / "report.xml"
        # Of the folder only what the tests need besides the face; the original must not be found.
        needs = work / "needs"
        needs.mkdir()
        for need in ("six.py", "mock"):
            (needs / need).symlink_to(folder / need)
        # Their oldest release that knows all requests.
        environment = {**os.environ, "KAFKA_VERSION": "0.9.0.0", "PYTHONPATH": f"{needs}:{ROOT}"}
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--timeout=120",
            "-p",
            "no:cacheprovider",
            f"--junitxml={report}",
        ]
        subprocess.run([*command, *arguments, "test"], cwd=work, env=environment, check=False)
        return {f"{case.get('classname')}.{case.get('name')}": _outcome(case) for case in _cases(report)}


def _cases(report: Path) -> list[ET.Element]:
    return list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314  pytest wrote it


def _outcome(case: ET.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def main() -> int:
    outcomes = run(Path(sys.argv[1]).resolve(), sys.argv[2:])
    failed = {name.removeprefix("test.") for name, outcome in outcomes.items() if outcome == "failed"}
    known = {name for reason in REASONS for name in reason.tests}
    sys.stdout.write(f"{dict(Counter(outcomes.values()))}\n")
    for name in sorted(failed - known):
        sys.stdout.write(f"fails without a reason: {name}\n")
    wrong = failed - known
    if not sys.argv[2:]:
        for name in sorted(known - failed):
            sys.stdout.write(f"does not fail: {name}\n")
        wrong |= known - failed
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
