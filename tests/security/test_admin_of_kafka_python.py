"""`KafkaAdminClient` about access, credentials, leaders and transactions: 2.3.3 and 3 and their faces tell a program
the same, on both brokers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.security.conftest import SecureKafka

pytestmark = pytest.mark.timeout(240)

ROOT = Path(__file__).resolve().parents[2]
VERSION_2 = ROOT / ".cache" / "kafka-python-2"
PAIRS = {
    "2.3.3": (f"{VERSION_2}:kafka", "kafkars.compat.kafka"),
    "3": ("kafka", "kafkars.compat.kafka_3"),
}


def told(library: str, kafka: SecureKafka, who: str) -> dict[str, Any]:
    """What one library tells, with a topic and a user of its own. Whoever is not known may do everything here."""
    program = "tests.security.administration_of_kafka_python"
    principal = f"User:{who}-{os.getpid()}"
    command = [sys.executable, "-m", program, library, kafka.cluster.bootstrap_servers, kafka.new_topic(), principal]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=110, cwd=ROOT, check=False)
    assert finished.returncode == 0, finished.stderr
    assert "secret" not in finished.stderr
    return dict(json.loads(line) for line in finished.stdout.splitlines())


@pytest.mark.parametrize("version", PAIRS)
def test_a_program_is_told_the_same(version: str, secure_kafka: SecureKafka) -> None:
    original, face = PAIRS[version]
    expected = told(original, secure_kafka, f"original-{version}")
    found = told(face, secure_kafka, f"face-{version}")
    assert list(found) == list(expected)
    assert {name: (expected[name], found[name]) for name in expected if expected[name] != found[name]} == {}
