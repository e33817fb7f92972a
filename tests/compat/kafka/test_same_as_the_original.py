"""Each chapter of `steps.py` tells a program the same on kafka-python 2.3.3 and on the face."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kafkars.compat.kafka import errors
from kafkars.compat.kafka.partitioner import murmur2

from tests.brokers import Broker
from tests.compat.kafka.steps import CHAPTERS

ROOT = Path(__file__).resolve().parents[3]
ORIGINAL = ROOT / ".cache" / "kafka-python-2"


def told(library: str, broker: Broker, chapter: str) -> list[Any]:
    """What one library tells, with a topic of its own."""
    topic = broker.new_topic(partitions=2)
    command = [sys.executable, "-m", "tests.compat.kafka.steps", library, broker.bootstrap_servers, topic, chapter]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=110, cwd=ROOT, check=False)
    assert finished.returncode == 0, finished.stderr
    return [json.loads(line) for line in finished.stdout.splitlines()]


FACTS = """
import inspect, json, sys
sys.path.insert(0, sys.argv[1])
import kafka.errors
from kafka.partitioner.default import murmur2
errors = {
    name: [made.__name__, getattr(made, "errno", None), getattr(made, "message", None), made.retriable, made.invalid_metadata,
           sorted(base.__name__ for base in made.__mro__)]
    for name, made in vars(kafka.errors).items()
    if inspect.isclass(made) and issubclass(made, kafka.errors.KafkaError)
}
hashes = [murmur2(("key %d" % number).encode()[: 1 + number % 9]) for number in range(10_000)]
print(json.dumps([errors, hashes]))
"""


def facts_of_the_original() -> Any:
    """Its errors, and murmur2 of 10,000 keys."""
    finished = subprocess.run(
        [sys.executable, "-c", FACTS, str(ORIGINAL)], capture_output=True, text=True, timeout=50, check=True
    )
    return json.loads(finished.stdout)


def test_every_error_is_there_with_its_number_and_bases() -> None:
    theirs, _ = facts_of_the_original()
    assert len(theirs) > 150
    for name, (real_name, number, message, retriable, invalid_metadata, bases) in theirs.items():
        made = getattr(errors, name)
        assert made.__name__ == real_name
        # kafka-python 3 has it below `UnsupportedVersionError`, with its number.
        if name != "IncompatibleBrokerVersion":
            assert (getattr(made, "errno", None), getattr(made, "message", None)) == (number, message)
        assert (made.retriable, made.invalid_metadata) == (retriable, invalid_metadata), name
        assert set(bases) <= {base.__name__ for base in made.__mro__}, name


def test_keys_get_the_originals_partitions() -> None:
    _, theirs = facts_of_the_original()
    ours = [murmur2(f"key {number}".encode()[: 1 + number % 9]) for number in range(10_000)]
    assert ours == theirs


@pytest.mark.timeout(240)
@pytest.mark.parametrize("chapter", sorted(CHAPTERS))
def test_a_program_is_told_the_same(chapter: str, broker: Broker) -> None:
    assert (ORIGINAL / "kafka").is_dir(), "kafka-python 2.3.3 is not in .cache: run `make .cache/kafka-python-2/.ready`"
    expected, found = told(str(ORIGINAL), broker, chapter), told("face", broker, chapter)
    assert [name for name, _ in found] == [name for name, _ in expected]
    different = {
        name: (theirs, ours) for (name, theirs), (_, ours) in zip(expected, found, strict=True) if theirs != ours
    }
    assert different == {}
