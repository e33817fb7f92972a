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
from tests.spark import session
from tests.spark.standalone import CONF, standalone
from tests.support.waiting import SECONDS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.soak, pytest.mark.timeout(400)]

RECORDS = 10_000


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a master with two workers."""
    with standalone(tmp_path_factory.mktemp("standalone")) as address:
        yield address


@pytest.mark.parametrize("way", ["same path", "setting", "archive"])
def test_both_workers_read(kafka_cluster: Broker, master: str, tmp_path: Path, way: str) -> None:
    topic = kafka_cluster.new_topic(4)
    with Producer(bootstrap_servers=kafka_cluster.bootstrap_servers) as producer:
        values = [b"%d" % number for number in range(RECORDS)]
        partitions = [number % 4 for number in range(RECORDS)]
        producer.send_many(topic, values, partitions=partitions).result(SECONDS)
    conf = dict(CONF)
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
