"""The streams: counts into a topic, clean events into Parquet, the rest into a topic of dead letters."""

from __future__ import annotations

import sys
from pathlib import Path

import kafkars.spark
from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming import StreamingQueryListener
from shared import CLICKS, COUNTS, DEAD, WATERMARK, clean, counts, judged, kafka

PER_TRIGGER = 10_000


class Progress(StreamingQueryListener):
    """Keeps what Spark says of every micro-batch, for report.py."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def onQueryProgress(self, event: object) -> None:  # noqa: N802  Spark's name
        """One line of JSON a batch."""
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(event.progress.json.replace("\n", " ") + "\n")  # type: ignore[attr-defined]

    def onQueryStarted(self, event: object) -> None:  # noqa: N802
        """Of no interest."""

    def onQueryTerminated(self, event: object) -> None:  # noqa: N802
        """Of no interest."""

    def onQueryIdle(self, event: object) -> None:  # noqa: N802
        """Of no interest."""


def main() -> None:
    """Reads what there is, and ends."""
    address, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    spark = SparkSession.builder.appName("clicks").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    kafkars.spark.register(spark)
    spark.streams.addListener(Progress(folder / "progress.jsonl"))

    def source(group: str) -> object:
        options = kafka(
            address,
            subscribe=CLICKS,
            startingOffsets="earliest",
            maxOffsetsPerTrigger=str(PER_TRIGGER),
            **{"kafkars.commit.group": group},
        )
        return spark.readStream.format("kafkars").options(**options).load()

    def once(topic: str) -> dict[str, str]:
        return kafka(address, topic=topic, **{"kafkars.delivery": "exactly-once"})

    unique = clean(source("clicks-parquet")).withWatermark("happened", WATERMARK).dropDuplicatesWithinWatermark(["id"])
    counted = counts(
        clean(source("clicks-counts")).withWatermark("happened", WATERMARK).dropDuplicates(["id", "happened"])
    )
    dead = judged(source("clicks-dead")).where("reason IS NOT NULL")
    queries = {
        "parquet": unique.writeStream.format("parquet").option("path", str(folder / "events")),
        "counts": counted.select(f.col("page").alias("key"), f.to_json(f.struct("*")).alias("value"))
        .writeStream.format("kafkars")
        .options(**once(COUNTS)),
        "dead": dead.select(
            "key",
            "value",
            f.array(f.struct(f.lit("reason").alias("key"), f.col("reason").cast("binary").alias("value"))).alias(
                "headers"
            ),
        )
        .writeStream.format("kafkars")
        .options(**once(DEAD)),
    }
    for name, writer in queries.items():
        checkpoint = str(folder / "checkpoints" / name)
        # One after the other: a small machine does one thing at a time.
        writer.queryName(name).option("checkpointLocation", checkpoint).trigger(
            availableNow=True
        ).start().awaitTermination()
        print(f"{name}: done", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
