"""One operation of one connector, several times, in a process of its own. Prints one line of JSON."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from benches.spark.constants import Constants
from tests.kafka import wire
from tests.spark import session, workers

CONF = {"spark.driver.memory": "2g", "spark.driver.extraJavaOptions": "-Xss4m", "spark.sql.session.timeZone": "UTC"}


def main() -> None:
    job = json.loads(sys.argv[1])
    folder = Path(job["folder"])
    folder.mkdir(parents=True)
    spark = session.start(folder, CONF)
    spark.dataSource.register(Constants)
    runs = []
    for number in range(job["repeats"]):
        before, started = processor_seconds(), time.monotonic()
        batches = OPS[job["op"]](spark, job, folder / str(number))
        wall = time.monotonic() - started
        runs.append(
            {
                "wall": wall,
                "cpu": processor_seconds() - before,
                "batch": statistics.median(batches) if batches else 0,
                "worker": workers.largest_peak(),
            }
        )
    spark.stop()
    print(json.dumps(runs[1:]))


def load(spark: Any, job: dict[str, Any], topic: str, *, stream: bool = False, **options: str) -> Any:
    reader = (spark.readStream if stream else spark.read).format(job["form"])
    given = {"kafka.bootstrap.servers": job["address"], "subscribe": topic, "startingOffsets": "earliest", **options}
    return reader.options(**given).load()


def aggregate(spark: Any, job: dict[str, Any], folder: Path, topic: str = "small") -> list[float]:
    del folder
    records = job["records"] if topic == "small" else job["records"] * 3 // 10
    length = 100 if topic == "small" else 1_000
    if job["form"] == Constants.name():
        frame = spark.read.format(Constants.name()).options(rows=records, size=length).load()
    else:
        frame = load(spark, job, topic)
    count, size = frame.selectExpr("count(*)", "sum(length(value))").collect()[0]
    assert (count, size) == (records, records * length)
    return []


def large(spark: Any, job: dict[str, Any], folder: Path) -> list[float]:
    return aggregate(spark, job, folder, "large")


def parquet(spark: Any, job: dict[str, Any], folder: Path) -> list[float]:
    writer = load(spark, job, "small", stream=True).writeStream.format("parquet").option("path", str(folder / "rows"))
    return run(writer, folder)


def batches(spark: Any, job: dict[str, Any], folder: Path) -> list[float]:
    stream = load(spark, job, "small", stream=True, maxOffsetsPerTrigger=str(job["records"] // 50))
    return run(stream.writeStream.format("noop"), folder)


def run(writer: Any, folder: Path) -> list[float]:
    query = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    return [float(each["durationMs"]["triggerExecution"]) for each in query.recentProgress if each["numInputRows"]]


def write(spark: Any, job: dict[str, Any], folder: Path) -> list[float]:
    topic = f"written-{os.getpid()}-{folder.name}"
    wire.create_topic(job["address"], topic, 1, 1, {})
    frame = spark.range(0, job["records"], 1, 2).selectExpr("string(id) AS key", "repeat('v', 100) AS value")
    writer = frame.write.format(job["form"]).option("kafka.bootstrap.servers", job["address"]).option("topic", topic)
    (writer.mode("append") if job["form"] == "kafkars" else writer).save()
    return []


def processor_seconds() -> float:
    """Of this process and all that it has started: the JVM and the Python workers."""
    ticks = 0
    for pid in (os.getpid(), *workers.descendants()):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        # Its own time, and that of its children that have ended.
        ticks += sum(int(each) for each in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


OPS = {"aggregate": aggregate, "large": large, "parquet": parquet, "batches": batches, "write": write}

if __name__ == "__main__":
    main()
