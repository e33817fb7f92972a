"""From the engine's Arrow columns to exactly those that Spark demands."""

from __future__ import annotations

from typing import Any

from pyspark.sql.types import StructType

from kafkars.spark import schema as columns_of_spark
from kafkars.types import TopicPartition


class Columns:
    """Builds the columns of one schema."""

    def __init__(self, schema: StructType) -> None:
        self.arrow = columns_of_spark.to_arrow(schema)
        constant = {"topic", "partition"}
        asked = [name for name in self.arrow.names if name not in constant and name != "offset"]
        self.fetched = [*asked, "offset"]
        """What the engine is asked for. Offsets tell where a range ends, topic and partition are known."""

    def build(self, batch: Any, partition: TopicPartition, end: int) -> tuple[Any | None, int]:
        """The records below `end` as a batch for Spark, None if there are none; and the last offset of all of them."""
        import pyarrow as pa  # noqa: PLC0415  executors have it, `import kafkars.spark` does not need it
        import pyarrow.compute  # noqa: PLC0415

        fetched = pa.record_batch(batch)
        offsets = fetched.column("offset")
        last: int = offsets[-1].as_py()
        if last >= end:
            # Offsets of a partition only grow.
            count = pa.compute.sum(pa.compute.less(offsets, end)).as_py()
            if not count:
                return None, last
            fetched = fetched.slice(0, count)
        rows = fetched.num_rows
        made = [self._column(pa, field, fetched, partition, rows) for field in self.arrow]
        return pa.RecordBatch.from_arrays(made, schema=self.arrow), last

    @staticmethod
    def _column(pa: Any, field: Any, fetched: Any, partition: TopicPartition, rows: int) -> Any:
        if field.name == "topic":
            return pa.repeat(pa.scalar(partition.topic, field.type), rows)
        if field.name == "partition":
            return pa.repeat(pa.scalar(partition.partition, field.type), rows)
        column = fetched.column(field.name)
        if field.name == "timestamp":
            return _timestamps(pa, column, field.type)
        if field.name == "headers":
            return _headers(pa, column, field.type)
        return column


def _timestamps(pa: Any, column: Any, kind: Any) -> Any:
    if column.null_count:
        # Spark's own source gives -1 ms where a record has no time.
        column = pa.compute.fill_null(column, pa.scalar(-1, column.type))
    return column.cast(kind)


def _headers(pa: Any, column: Any, kind: Any) -> Any:
    """Lists with the names that Spark demands; a record without headers has null, as in Spark's own source."""
    items = column.values
    struct = pa.StructArray.from_arrays(
        [items.field(0), items.field(1)], fields=[kind.value_type.field(0), kind.value_type.field(1)]
    )
    empty = pa.compute.equal(pa.compute.list_value_length(column), 0)
    return pa.ListArray.from_arrays(column.offsets, struct, type=kind, mask=empty)
