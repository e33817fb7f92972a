"""Bytes, partitions and small helpers are those that kafka-python 0.9.5 made, as `record.py` wrote them down."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import subprocess
import sys

from tests.compat.kafka_legacy import calls
from tests.compat.kafka_legacy.record import FILE

CHECKSUM = "bf6ef1f355c6cdd8fa39ff42f22a660e658228dae5c394f8133f652c08c75816"


def face() -> dict[str, object]:
    """What the face tells, in this process."""

    def load(name: str) -> object:
        return importlib.import_module(name.replace("kafka", "kafkars.compat.kafka_legacy", 1))

    return {name: calls.told(call) for name, call in calls.calls(load).items()}


def test_the_file_is_what_was_recorded() -> None:
    assert hashlib.sha256(FILE.read_bytes()).hexdigest() == CHECKSUM


def test_the_face_tells_the_same() -> None:
    # Python's hash of bytes, by which the default partitioner goes, is another in each process otherwise.
    environment = {**os.environ, "PYTHONHASHSEED": calls.HASH_SEED}
    run = subprocess.run(
        [sys.executable, "-m", __name__], env=environment, capture_output=True, text=True, timeout=100, check=False
    )
    assert run.returncode == 0, run.stderr
    recorded, told = json.loads(FILE.read_text()), json.loads(run.stdout)
    assert recorded.keys() == told.keys()
    assert {name: (recorded[name], told[name]) for name in told if recorded[name] != told[name]} == {}


if __name__ == "__main__":
    json.dump(face(), sys.stdout)
