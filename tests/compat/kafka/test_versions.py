"""Where kafka-python 2.3 and 3.0 differ, the face does as the one that is asked for: a test for each row of
`versions.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat import install, uninstall
from kafkars.errors import InvalidArgumentError

from tests.brokers import Broker
from tests.compat.kafka.versions import ROWS, Row

ROOT = Path(__file__).resolve().parents[3]
ORIGINALS = {2: ROOT / ".cache" / "kafka-python-2", 3: Path(sys.prefix)}
PAGE = ROOT / "docs" / "migrating" / "kafka-python.md"


def found_by(library: str, broker: Broker) -> dict[str, Any]:
    """What one library does in every row, with a topic of its own."""
    topic = broker.new_topic(partitions=2)
    command = [sys.executable, "-m", "tests.compat.kafka.versions", library, broker.bootstrap_servers, topic]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=ROOT, check=False)
    assert finished.returncode == 0, finished.stderr
    return dict(json.loads(line) for line in finished.stdout.splitlines())


@pytest.fixture(scope="module")
def found(embedded_broker: Broker) -> dict[str, dict[str, Any]]:
    """The same of both originals and both faces."""
    installed = next((Path(sys.prefix) / "lib").glob("python3*/site-packages"))
    libraries = {"original 2": str(ORIGINALS[2]), "face 2": "2", "original 3": str(installed), "face 3": "3"}
    with ThreadPoolExecutor() as threads:
        started = {name: threads.submit(found_by, library, embedded_broker) for name, library in libraries.items()}
        return {name: each.result() for name, each in started.items()}


@pytest.mark.timeout(240)
@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_the_face_does_as_the_version_that_is_asked_for(row: Row, found: dict[str, dict[str, Any]]) -> None:
    assert {name: each[row.name] for name, each in found.items()} == {
        "original 2": row.two,
        "face 2": row.two,
        "original 3": row.three,
        "face 3": row.three,
    }


def test_the_page_has_every_row() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [row.name for row in ROWS if f"| {row.name} |" not in page] == []


def test_a_version_that_there_is_not_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"versions: '0\.9\.5', '2', '3'"):
        install("kafka", version=1)
    with pytest.raises(InvalidArgumentError, match="one face for all its releases"):
        install("aiokafka", version=2)


NEITHER = """
from kafkars.compat import install
install("kafka", version=3)
import kafka, kafka.admin, kafka.errors, kafka.structs, kafka.partitioner.default
assert kafka.__version__.startswith("3"), kafka.__version__
assert kafka.errors.KafkaError.__module__.startswith("kafkars.")
import kafka.consumer.fetcher
try:
    install("kafka")
except Exception as error:
    print(type(error).__name__)
"""


def test_modules_that_are_the_same_in_both_are_found_and_versions_do_not_mix() -> None:
    finished = subprocess.run([sys.executable, "-c", NEITHER], capture_output=True, text=True, timeout=60, check=False)
    assert (finished.returncode, finished.stdout.strip()) == (0, "InvalidArgumentError"), finished.stderr
    uninstall("kafka")
