"""What the programs have in common: names, times, and what makes an event of a record."""

from __future__ import annotations

from typing import Any

CLICKS, COUNTS, DEAD = "clicks", "click-counts", "clicks-dead"

WINDOW = "5 seconds"
LATE_SECONDS = 5
"""An event that reaches Kafka later than this after it happened counts no more."""
WATERMARK = "20 seconds"
"""Longer than `LATE_SECONDS`, because partitions are not read in step."""
WATERMARK_SECONDS = 20
EVENT = "id STRING, user STRING, page STRING, at BIGINT"


def kafka(address: str, **options: str) -> dict[str, str]:
    """Options of the source and the sink."""
    return {"kafka.bootstrap.servers": address, **options}


def judged(records: Any) -> Any:
    """Records with their event and, where it cannot be counted, the reason."""
    from pyspark.sql import functions as f  # noqa: PLC0415  report.py and events.py need no Spark

    parsed = records.select(
        "key",
        "value",
        f.col("timestamp").alias("arrived"),
        f.from_json(f.col("value").cast("string"), EVENT).alias("event"),
    ).select("key", "value", "arrived", "event.*", f.timestamp_millis("event.at").alias("happened"))
    broken = f.col("id").isNull() | f.col("page").isNull() | f.col("happened").isNull()
    late = f.col("happened") < f.col("arrived") - f.expr(f"INTERVAL {LATE_SECONDS} SECONDS")
    return parsed.withColumn("reason", f.when(broken, "broken").when(late, "late"))


def clean(records: Any) -> Any:
    """The events that count."""
    return judged(records).where("reason IS NULL").select("id", "user", "page", "happened")


def counts(events: Any) -> Any:
    """Clicks by window and page."""
    from pyspark.sql import functions as f  # noqa: PLC0415

    grouped = events.groupBy(f.window("happened", WINDOW), "page")
    return grouped.agg(f.count("*").alias("clicks")).selectExpr("unix_millis(window.start) AS start", "page", "clicks")
