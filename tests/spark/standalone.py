"""A standalone cluster of Spark: a master and two workers with one core each, as processes of their own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kafka import ports
from tests.spark import session
from tests.support.waiting import eventually

CONF: Mapping[str, str] = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.locality.wait": "0"}
START_SECONDS = 300.0


@contextmanager
def standalone(folder: Path, hosts: Sequence[str] = ("127.0.0.1", "127.0.0.1")) -> Iterator[str]:
    """The address of the master; `hosts` are those of the workers."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")
    script = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port, master_web, *webs = ports.choose(2 + len(hosts))
    address = f"spark://127.0.0.1:{port}"
    environment = {**os.environ, **session.environment(), "SPARK_DAEMON_MEMORY": "256m"}
    # What the driver's folder holds must not be what the executors import.
    environment.pop("PYTHONPATH", None)
    # A worker's executors bind to the worker's own host.
    environment.pop("SPARK_LOCAL_IP", None)
    package = "org.apache.spark.deploy"
    master = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(master_web)]
    commands = [[script, f"{package}.master.Master", *master]]
    for number, (host, web) in enumerate(zip(hosts, webs, strict=True)):
        place = ["--work-dir", str(folder / f"worker-{number}"), "--webui-port", str(web)]
        limits = ["--host", host, "--cores", "1", "--memory", "1g"]
        commands.append([script, f"{package}.worker.Worker", *limits, *place, address])
    log = folder / "log"
    running = []
    try:
        for command in commands:
            with log.open("ab") as output:
                running.append(subprocess.Popen(command, env=environment, stdout=output, stderr=output))
        eventually(
            lambda: log.read_text(errors="replace").count("Registering worker") >= len(hosts),
            "the workers are there",
            START_SECONDS,
        )
        yield address
    finally:
        for process in running:
            process.kill()
            process.wait()
