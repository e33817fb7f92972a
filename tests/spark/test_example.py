"""The pipeline of examples/spark_pipeline gives the same counts as batch jobs, however often its driver is killed, here
and on a cluster."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.spark.session import ROOT

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.soak, pytest.mark.timeout(1_200)]


def test_the_pipeline_agrees_with_batch_jobs_after_three_kills(request: pytest.FixtureRequest) -> None:
    seed = str(request.config.getoption("--chaos-seed"))
    told = run("--rate", "500", "--seconds", "45", "--kills", "3", "--seed", seed)
    assert told.count("driver killed") == 3


def test_the_pipeline_agrees_on_a_cluster_with_a_packed_environment(request: pytest.FixtureRequest) -> None:
    seed = str(request.config.getoption("--chaos-seed"))
    told = run("--cluster", "--rate", "500", "--seconds", "45", "--kills", "1", "--seed", seed)
    # The executors' Python is the one in the archive, and has nothing but what is packed there.
    assert "two workers at spark://" in told
    assert told.count("driver killed") == 1


def run(*arguments: str) -> str:
    """What the example says when all counts agree."""
    command = [sys.executable, str(ROOT / "examples/spark_pipeline/run.py"), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=1_100, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "all agree" in ran.stdout
    return ran.stdout
