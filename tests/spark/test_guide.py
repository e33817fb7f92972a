"""The example of docs/guides/spark.md runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kafkars import Producer
from kafkars.testing import EmbeddedBroker

from tests.spark import registry as registries
from tests.spark.queries import Queries, finish
from tests.spark.session import ROOT
from tests.support.waiting import SECONDS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(600)]


def blocks() -> list[str]:
    """The programs of the page, all of which are run here."""
    found = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs/guides/spark.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 2
    return found


def test_the_example_of_the_guide_runs(queries: Queries) -> None:
    example = blocks()[0]
    source, sink = queries.broker.new_topic(), queries.broker.new_topic()
    code = example.replace("localhost:9092", queries.broker.bootstrap_servers)
    code = code.replace('"subscribe", "orders"', f'"subscribe", "{source}"').replace(
        '"topic", "order-copies"', f'"topic", "{sink}"'
    )
    code = code.replace("/data/checkpoints", str(queries.folder)).replace(
        ".start()", ".trigger(availableNow=True).start()"
    )
    # A new stream begins at the end.
    names: dict[str, Any] = {}

    def start() -> Any:
        exec(compile(code, "docs/guides/spark.md", "exec"), names)  # noqa: S102
        return names["query"]

    finish(start)
    with Producer(bootstrap_servers=queries.broker.bootstrap_servers) as producer:
        producer.send(source, b"an apple", b"7").result(SECONDS)
    finish(start)
    assert queries.load(subscribe=sink).selectExpr("CAST(value AS STRING) AS v").collect() == [("an apple",)]


def test_the_example_with_formats_runs(queries: Queries) -> None:
    topic, address = queries.broker.new_topic(), queries.broker.bootstrap_servers
    schema = {"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}
    with registries.running() as registry:
        prefix = registry.add(f"{topic}-value", schema, 7)
        with Producer(bootstrap_servers=address) as producer:
            producer.send(topic, prefix + registries.long(21), b"c7").result(SECONDS)
        code = blocks()[1].replace("localhost:9092", address).replace("http://localhost:8081", registry.url)
        names: dict[str, Any] = {"spark": queries.spark}
        exec(compile(code.replace('"orders"', f'"{topic}"'), "docs/guides/spark.md", "exec"), names)  # noqa: S102
        assert [(row["key"], row["value"]["id"]) for row in names["orders"].collect()] == [("c7", 21)]


PROGRAM = """
import sys

import kafkars.spark
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = spark.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1").getOrCreate()
kafkars.spark.register(spark)
events = spark.read.format("kafkars").option("kafka.bootstrap.servers", sys.argv[1]).option("subscribe", "events")
print("rows", events.load().count())
"""


def test_a_program_that_is_started_by_the_path_of_its_python_needs_no_setting(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="PySpark is not installed: make test-spark installs it")
    (tmp_path / "program.py").write_text(PROGRAM)
    # As on a machine whose own Python has no kafkars, with the environment of the program not activated.
    other = tmp_path / "bin" / "python3"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\nexit 3\n")
    other.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "PYTHON", "VIRTUAL"))}
    kept |= {"PATH": f"{other.parent}{os.pathsep}{kept['PATH']}", "SPARK_LOCAL_IP": "127.0.0.1"}
    with EmbeddedBroker(topics={"events": 1}) as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("events", b"one").result(SECONDS)
        ran = subprocess.run(
            [sys.executable, "program.py", broker.bootstrap_servers],
            cwd=tmp_path,
            env=kept,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
    assert "rows 1" in ran.stdout, ran.stderr[-4_000:]
