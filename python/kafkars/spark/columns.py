"""The columns of one schema, in exactly the Arrow types that Spark demands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars.spark import schema as columns_of_spark

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

OFFSET = "offset"


class Columns:
    """Which columns the engine is asked for, and what becomes of them."""

    def __init__(self, schema: StructType) -> None:
        self.arrow = columns_of_spark.to_arrow(schema)
        names: list[str] = self.arrow.names
        self.fetched = names if OFFSET in names else [*names, OFFSET]
        """Offsets are needed in any case: they tell where a range ends."""

    def build(self, batch: Any, end: int) -> tuple[Any | None, int]:
        """The records below `end` as a batch for Spark, None if there are none; and the last offset of all of them.

        Args:
            batch: What the engine gave, with `layout="spark"`.
            end: The first offset that does not belong to the range.
        """
        import pyarrow as pa  # noqa: PLC0415  executors have it, `import kafkars.spark` does not need it
        import pyarrow.compute  # noqa: PLC0415

        fetched = pa.record_batch(batch)
        offsets = fetched.column(OFFSET)
        last: int = offsets[-1].as_py()
        if last >= end:
            # Offsets of a partition only grow.
            count = pyarrow.compute.sum(pyarrow.compute.less(offsets, end)).as_py()
            if not count:
                return None, last
            fetched = fetched.slice(0, count)
        # Spark looks at the schema of the first batch only; here every one is held to it.
        return pa.RecordBatch.from_arrays([fetched.column(name) for name in self.arrow.names], schema=self.arrow), last
