"""Runs the tests of kafka-python 0.9.5 itself on the face, unit tests and those that want brokers.

    python -m tests.compat.kafka_legacy.original_suite FOLDER [pytest's arguments]
    KAFKARS_SUITE_OF=original KAFKARS_SUITE_KAFKA=2.8.2 python -m tests.compat.kafka_legacy.original_suite FOLDER

FOLDER has the unpacked sources, `six` and `mock` (`make test-kafka-legacy` makes it). Brokers are those of
kafkars.testing, or with `KAFKARS_SUITE_KAFKA=4.3.1` that Apache Kafka's (five minutes instead of two). What fails must
be in `reasons_of_the_original_suite.py`, and what is there must fail. The second form runs them on the original, made
readable for Python of today by `original.py`, on a broker that still knows its requests: what fails there is told, with
whether it does on the face.
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

from tests.compat.kafka_legacy import original
from tests.compat.kafka_legacy.reasons_of_the_original_suite import REASONS

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = Path(__file__).with_name("original_fixtures.py")

CONFTEST = """
from kafkars.compat import install

install("kafka", version="0.9.5")
"""

# Numbers of brokers begin at 1 here.
BROKER_NUMBERS = (r"self\.brokers\[leader\.nodeId\]", "self.brokers[leader.nodeId - 1]")
OF_ORIGINAL = os.environ.get("KAFKARS_SUITE_OF") == "original"


def prepare(folder: Path, into: Path) -> None:
    """Copies the tests, as Python of today can read them."""
    package = into / "test"
    package.mkdir()
    (into / "conftest.py").write_text("" if OF_ORIGINAL else CONFTEST)
    (package / "__init__.py").write_text("import unittest\n")
    (package / "fixtures.py").write_text(FIXTURES.read_text())
    for file in (folder / "test").glob("*.py"):
        text = original.changed(file.read_text())
        (package / file.name).write_text(re.sub(*BROKER_NUMBERS, text))


def run(folder: Path, arguments: list[str]) -> dict[str, str]:
    """What became of each test: "passed", "failed" or "skipped"."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        prepare(folder, work)
        report = work / "report.xml"
        needs = work / "needs"
        # Below the face the original must not be found.
        (original.make if OF_ORIGINAL else original.need)(folder, needs)
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
    if OF_ORIGINAL:
        for name in sorted(failed):
            sys.stdout.write(f"fails on the original, {'and' if name in known else 'not'} on the face: {name}\n")
        return 0
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
