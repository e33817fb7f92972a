"""A source that yields one ready Arrow batch again and again: what reading through Spark's Python interface costs
without a Kafka."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

ROWS = 2_000
"""Of a batch: about as many as records of 1 KB that come out of one fetch."""


class ConstantsReader(DataSourceReader):
    """One task, as a topic of one partition has."""

    def __init__(self, rows: int, size: int) -> None:
        self.rows = rows
        self.size = size

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0)]

    def read(self, partition: Any) -> Iterator[Any]:
        del partition
        batch = pa.RecordBatch.from_pydict(
            {
                "key": pa.array([b"key-0000000000"] * ROWS, pa.binary()),
                "value": pa.array([b"v" * self.size] * ROWS, pa.binary()),
                "topic": pa.array(["constants"] * ROWS, pa.string()),
                "partition": pa.array([0] * ROWS, pa.int32()),
                "offset": pa.array(range(ROWS), pa.int64()),
                "timestamp": pa.array([1] * ROWS, pa.int64()).cast(pa.timestamp("us", "UTC")),
                "timestampType": pa.array([0] * ROWS, pa.int32()),
            }
        )
        for _ in range(self.rows // ROWS):
            yield batch


class Constants(DataSource):
    """`format("constants")` with the options `rows`, a multiple of 2,000, and `size`, of a value."""

    @classmethod
    def name(cls) -> str:
        return "constants"

    def schema(self) -> str:
        return (
            "key BINARY, value BINARY, topic STRING, partition INT, offset LONG, timestamp TIMESTAMP, timestampType INT"
        )

    def reader(self, schema: Any) -> DataSourceReader:
        del schema
        return ConstantsReader(int(self.options["rows"]), int(self.options["size"]))
