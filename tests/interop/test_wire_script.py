"""Tests of the embedded broker that speak bytes, not through a client: the same ones must hold on real Kafka."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.brokers import Broker

ROOT = Path(__file__).resolve().parents[2]
# The first may have to compile them.
SECONDS = 1000.0


@pytest.mark.kafka
@pytest.mark.kip_848
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo on PATH to run tests written in Rust")
@pytest.mark.parametrize("theme", ["conversion", "levels", "patterns"])
def test_what_the_embedded_broker_answers_is_what_kafka_answers(kafka_cluster: Broker, theme: str) -> None:
    command = ["cargo", "test", "--workspace", "--locked", "--quiet", "--test", "wire", f"{theme}::"]
    finished = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "KAFKARS_WIRE_BROKER": kafka_cluster.bootstrap_servers.split(",")[0]},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert " 0 passed" not in finished.stdout, finished.stdout
