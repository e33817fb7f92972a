"""A face has its first record there and back as soon as its original: import and all, in a process of its own."""

from __future__ import annotations

import compileall
import logging
import os
import statistics
import subprocess
import sys
from pathlib import Path

import kafkars
import pytest

from tests.brokers import Broker

log = logging.getLogger(__name__)

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("starting") / "first_record.py"
KAFKA_PYTHON_2 = ROOT / ".cache" / "kafka-python-2"

ROUNDS = 7
# What counts is processor time, the median of rounds in turns: it hardly depends on what else the machine does, and not
# on one round in which it was twice as fast. Faces take 0.4 to 0.9 of it.
MARGIN = 1.1
PAIRS = [
    pytest.param("confluent_kafka", "face", "original", id="confluent_kafka"),
    pytest.param("aiokafka", "face", "original", id="aiokafka"),
    pytest.param("kafka", "face", "original 2", id="kafka-python 2"),
    pytest.param("kafka", "face 3", "original", id="kafka-python 3"),
]


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """What pip does when it installs: without it, each start would compile every module again."""
    compileall.compile_dir(str(Path(kafkars.__file__).parent), quiet=2)


@pytest.mark.parametrize(("library", "face", "original"), PAIRS)
def test_a_face_starts_as_soon_as_its_original(library: str, face: str, original: str, embedded_broker: Broker) -> None:
    rounds = [[start(library, kind, embedded_broker) for kind in (face, original)] for _ in range(ROUNDS)]
    ours, theirs = (list(column) for column in zip(*rounds, strict=True))
    told = f"{library}: face {described(ours)}; original {described(theirs)}"
    log.info(told)
    assert usual(ours) <= MARGIN * usual(theirs), told


@pytest.mark.parametrize(("library", "other"), [("kafkars", "confluent_kafka"), ("kafkars_aio", "aiokafka")])
def test_kafkars_starts_as_soon_as_the_others(library: str, other: str, embedded_broker: Broker) -> None:
    rounds = [[start(each, "original", embedded_broker) for each in (library, other)] for _ in range(ROUNDS)]
    ours, theirs = (list(column) for column in zip(*rounds, strict=True))
    told = f"{library} {described(ours)}; {other} {described(theirs)}"
    log.info(told)
    assert usual(ours) <= MARGIN * usual(theirs), told


def start(library: str, kind: str, broker: Broker) -> tuple[float, ...]:
    """Seconds of processor and of the clock: for the import, and from there to the record."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if kind == "original 2":
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(KAFKA_PYTHON_2), environment.get("PYTHONPATH")]))
    command = [sys.executable, str(PROGRAM), library, kind, broker.bootstrap_servers, broker.new_topic(1)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=40, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    return tuple(map(float, ran.stdout.split()))


def usual(runs: list[tuple[float, ...]]) -> float:
    """The median processor time of import and first record."""
    return statistics.median(run[0] + run[2] for run in runs)


def described(runs: list[tuple[float, ...]]) -> str:
    import_cpu, import_time, cpu, time = (statistics.median(column) * 1000 for column in zip(*runs, strict=True))
    return (
        f"{usual(runs) * 1000:.1f} ms of CPU in all: import {import_cpu:.1f} ms of CPU ({import_time:.1f} ms), "
        f"first record {cpu:.1f} ms of CPU ({time:.1f} ms)"
    )
