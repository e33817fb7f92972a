"""The same counts as batch jobs, from the topic and from Parquet: all must agree to the row with what the stream
wrote.
"""

from __future__ import annotations

import sys
from pathlib import Path

import kafkars.spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from shared import CLICKS, COUNTS, DEAD, WATERMARK_SECONDS, clean, counts, judged, kafka

WINDOW_MS = 5_000


def main() -> None:
    """Prints what agrees; ends with status 1 if anything does not."""
    address, folder = sys.argv[1], Path(sys.argv[2])
    spark = SparkSession.builder.appName("recompute").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    kafkars.spark.register(spark)

    def topic(name: str) -> object:
        options = kafka(address, subscribe=name, includeHeaders="true", **{"kafka.isolation.level": "read_committed"})
        return spark.read.format("kafkars").options(**options).load()

    records = topic(CLICKS)
    from_topic = clean(records).dropDuplicates(["id"])
    from_parquet = spark.read.parquet(str(folder / "events"))
    streamed = topic(COUNTS).select(
        f.from_json(f.col("value").cast("string"), "start BIGINT, page STRING, clicks BIGINT").alias("c")
    )

    newest = from_topic.agg(f.unix_millis(f.max("happened"))).collect()[0][0]
    closed = newest - WATERMARK_SECONDS * 1_000 - WINDOW_MS
    results = {
        "the topic": sorted(map(tuple, counts(from_topic).where(f"start <= {closed}").collect())),
        "Parquet": sorted(map(tuple, counts(from_parquet).where(f"start <= {closed}").collect())),
        "the stream": sorted(map(tuple, streamed.select("c.*").where(f"start <= {closed}").collect())),
    }
    sizes = {
        "clean events in the topic": from_topic.count(),
        "events in Parquet": from_parquet.count(),
        "records that cannot be counted": judged(records).where("reason IS NOT NULL").count(),
        "dead letters": topic(DEAD).count(),
    }
    for name, rows in results.items():
        print(f"counts from {name}: {len(rows)} windows, {sum(row[2] for row in rows)} clicks")
    for name, size in sizes.items():
        print(f"{name}: {size}")
    same = results["the topic"] == results["Parquet"] == results["the stream"] and len(results["the topic"]) > 0
    same = same and sizes["clean events in the topic"] == sizes["events in Parquet"]
    same = same and sizes["records that cannot be counted"] == sizes["dead letters"]
    print("all agree" if same else "THEY DO NOT AGREE")
    spark.stop()
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
