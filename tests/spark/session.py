"""How these tests start Spark: small, quick to start, one for all tests of a process."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Mapping
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


TOO_SLOW = "Python worker failed to connect back"
"""Spark gives the process of a stream's reader ten seconds to start, and no setting changes it: on a machine that
compiles beside the tests that is too short, and nothing has been read by then."""
STARTS = 15


def finish(start: Callable[[], Any], query: Any | None = None, seconds: float = 3_600) -> Any:
    """Waits for the end of the query that `start` starts, or of one that it has started. It is started again where
    Spark was too impatient. Answers the query that has ended.
    """
    for left in reversed(range(STARTS)):
        running = query or start()
        try:
            ended = running.awaitTermination(seconds)
        except Exception as error:
            if TOO_SLOW not in str(error) or left == 0:
                raise
            query = None
            continue
        finally:
            running.stop()
        if ended:
            return running
        raise TimeoutError(f"the query ran for {seconds} s: {running.lastProgress}")
    raise AssertionError("the last start is waited for or raises")


def running(start: Callable[[], Any], query: Any) -> Any:
    """Answers the query, or the one that `start` starts instead where Spark was too impatient. Raises what else has
    ended it.
    """
    error = query.exception()
    if error is None:
        return query
    if TOO_SLOW not in str(error):
        raise error
    return start()
