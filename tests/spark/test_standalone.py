"""A standalone cluster of two workers reads in both; the package is where the executors find it, or comes as an
archive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import kafkars
import pytest
from kafkars import Producer

from tests.brokers import Broker
from tests.kafka import ports
from tests.spark import session
from tests.support.waiting import SECONDS, eventually

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.soak, pytest.mark.timeout(400)]

RECORDS = 10_000


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A master and two workers with one core each, as processes of their own."""
    pyspark = pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")
    folder = tmp_path_factory.mktemp("standalone")
    script = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    port, *web = ports.choose(4)
    address = f"spark://127.0.0.1:{port}"
    environment = {**os.environ, **session.environment(), "SPARK_DAEMON_MEMORY": "256m"}
    # What the driver's folder holds must not be what the executors import.
    environment.pop("PYTHONPATH", None)
    package = "org.apache.spark.deploy"
    commands = [
        [script, f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(web[0])]
    ]
    for number in (1, 2):
        place = ["--work-dir", str(folder / f"worker-{number}"), "--webui-port", str(web[number])]
        limits = ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g"]
        commands.append([script, f"{package}.worker.Worker", *limits, *place, address])
    log = folder / "log"
    running = []
    try:
        for command in commands:
            with log.open("ab") as output:
                running.append(subprocess.Popen(command, env=environment, stdout=output, stderr=output))
        eventually(
            lambda: log.read_text(errors="replace").count("Registering worker") >= 2, "two workers are there", 120
        )
        yield address
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.parametrize("way", ["same path", "setting", "archive"])
def test_both_workers_read(kafka_cluster: Broker, master: str, tmp_path: Path, way: str) -> None:
    topic = kafka_cluster.new_topic(4)
    with Producer(bootstrap_servers=kafka_cluster.bootstrap_servers) as producer:
        values = [b"%d" % number for number in range(RECORDS)]
        partitions = [number % 4 for number in range(RECORDS)]
        producer.send_many(topic, values, partitions=partitions).result(SECONDS)
    conf = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.locality.wait": "0"}
    if way == "archive":
        archive = tmp_path / "kafkars.zip"
        package = Path(kafkars.__file__).parent
        with zipfile.ZipFile(archive, "w") as opened:
            for file in package.rglob("*"):
                if "__pycache__" not in file.parts:
                    opened.write(file, file.relative_to(package.parent))
        conf["spark.archives"] = f"{archive}#kafkars_wheel"
        conf["spark.executorEnv.PYTHONPATH"] = "kafkars_wheel"
    if way == "setting":
        conf["spark.pyspark.python"] = sys.executable
    options = {"kafka.bootstrap.servers": kafka_cluster.bootstrap_servers, "subscribe": topic}
    plan = {"master": master, "conf": conf, "options": options, "names_python": way != "setting"}
    command = [sys.executable, "-m", "tests.spark.programs.standalone", str(tmp_path), json.dumps(plan)]
    environment = {**os.environ, **session.environment()}
    ran = subprocess.run(
        command, cwd=session.ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert ran.returncode == 0, ran.stderr[-4_000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    assert (found["count"], found["sum"]) == (RECORDS, sum(range(RECORDS)))
    assert len({each["executor"] for each in found["told"]}) == 2
    for each in found["told"]:
        assert ("kafkars_wheel" in each["kafkars"]) == (way == "archive")
