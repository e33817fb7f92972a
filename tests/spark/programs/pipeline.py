"""Streams from a topic into Parquet, into windows in Parquet, or into another topic, over what is there when they
start.

Started as `python -m tests.spark.programs.pipeline FOLDER JSON`, as often as it takes.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import kafkars.spark

from tests.spark import session
from tests.spark.programs import crashing


def main() -> None:
    folder, plan = Path(sys.argv[1]), json.loads(sys.argv[2])
    if crashing.CRASH in os.environ:
        # The workers inherit it.
        os.environ[crashing.CRASH] = json.dumps({**json.loads(os.environ[crashing.CRASH]), "driver": os.getpid()})
    spark = session.start(folder / "spark", plan.get("conf"), master=plan.get("master", "local[2]"))
    if crashing.CRASH in os.environ:
        kafkars.spark._register(spark, crashing.CrashingSource)
    starts = [partial(start, spark, folder, plan, each) for each in plan["queries"]]
    queries = [each() for each in starts]
    print("started", flush=True)
    for each, query in zip(starts, queries, strict=True):
        session.finish(each, query)
    print("done", flush=True)
    spark.stop()


def start(spark: Any, folder: Path, plan: dict[str, Any], query: dict[str, Any]) -> Any:
    stream = spark.readStream.format(plan.get("form", "kafkars")).options(**plan["source"]).load()
    writer = FLOWS[query["flow"]](stream).writeStream.format(query["to"]).options(**query.get("sink", {}))
    writer = writer.option("checkpointLocation", str(folder / "checkpoints" / query["flow"]))
    if query["to"] == "parquet":
        writer = writer.option("path", str(folder / query["flow"]))
    return writer.trigger(availableNow=True).start()


def raw(stream: Any) -> Any:
    return stream.selectExpr("CAST(CAST(value AS STRING) AS LONG) AS id", "partition", "offset", "timestamp")


def windows(stream: Any) -> Any:
    from pyspark.sql import functions

    events = stream.selectExpr("CAST(CAST(value AS STRING) AS LONG) AS id", "timestamp").withWatermark(
        "timestamp", "5 seconds"
    )
    grouped = events.groupBy(functions.window("timestamp", "10 seconds"))
    return grouped.agg(functions.count("*").alias("count"), functions.sum("id").alias("sum")).selectExpr(
        "CAST(window.start AS LONG) AS start", "count", "sum"
    )


def copy(stream: Any) -> Any:
    return stream.select("key", "value")


FLOWS = {"raw": raw, "windows": windows, "copy": copy}

if __name__ == "__main__":
    main()
