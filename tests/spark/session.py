"""How these tests start Spark: small, quick to start, one for all tests of a process."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.kafka.jars import JarsUnavailableError
from tests.spark import connector

ROOT = Path(__file__).resolve().parents[2]

CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "Asia/Kolkata",
    "spark.sql.streaming.metricsEnabled": "false",
    # The JVM lives for minutes: what it compiles well it does not get to run.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -Xss4m",
}


def environment() -> dict[str, str]:
    """Which Python runs the source, and where it finds the modules of these tests."""
    found = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(found)),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def start(
    folder: Path, conf: Mapping[str, str] | None = None, *, master: str = "local[2]", names_python: bool = True
) -> Any:
    """A session with `kafkars` registered, and with Spark's own connector where its jars can be had."""
    import kafkars.spark
    from pyspark.sql import SparkSession

    os.environ.update(environment())
    if not names_python:
        # Then only the setting `spark.pyspark.python` tells the executors' Python.
        for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
            os.environ.pop(name)
    builder = SparkSession.builder.master(master).appName("kafkars-tests")
    for name, value in {**CONF, **(conf or {})}.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).config(
        "spark.local.dir", str(folder)
    )
    with contextlib.suppress(JarsUnavailableError):
        builder = builder.config("spark.jars", ",".join(map(str, connector.fetch())))
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    kafkars.spark.register(session)
    return session
