"""The columns of a query's schema, in exactly the Arrow types that Spark requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kafkars.spark import schema as columns_of_spark

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from kafkars._kafkars import ArrowBatch
    from kafkars.spark.options import SourceOptions
    from kafkars.spark.payload_format import PayloadFormat
    from kafkars.spark.ranges import OffsetRange

OFFSET = "offset"


class Columns:
    """Fetches the columns that a schema needs, and makes Spark's columns from them."""

    def __init__(self, schema: StructType, options: SourceOptions) -> None:
        self.arrow = columns_of_spark.to_arrow(schema)
        names: list[str] = self.arrow.names
        self._fail_fast = options.fail_fast
        self._formats = [each for each in options.formats if any(_is_of(name, each) for name in names)]
        known = [name for name in names if name in columns_of_spark.COLUMNS]
        self.fetched = list(dict.fromkeys([*known, *(each.column for each in self._formats), OFFSET]))
        """The columns to fetch. Offsets are always among them: they tell where a range ends."""

    def build(self, batch: ArrowBatch, wanted: OffsetRange) -> tuple[Any | None, int]:
        """Returns the records of the range as a batch for Spark, None if there are none, and the last offset of
        `batch`.

        Args:
            batch: A batch of the consumer, with `layout="spark"`.
            wanted: The range; records after it are left out.

        Raises:
            DeserializationError: A key or value cannot be decoded, and the query is to fail then.
        """
        import pyarrow as pa  # noqa: PLC0415  executors have it, `import kafkars.spark` does not need it

        fetched = pa.record_batch(batch)
        offsets = fetched.column(OFFSET)
        last: int = offsets[-1].as_py()
        if last >= wanted.end:
            # The offsets of a partition ascend.
            count = first_not_below(offsets, wanted.end)
            if not count:
                return None, last
            fetched = fetched.slice(0, count)
        arrays = {name: fetched.column(name) for name in self.arrow.names if name in self.fetched}
        for each in self._formats:
            arrays |= self._decoded(each, batch, fetched, wanted)
        # Spark checks the schema of the first batch only; this checks every one.
        return pa.RecordBatch.from_arrays([arrays[name] for name in self.arrow.names], schema=self.arrow), last

    def _decoded(self, form: PayloadFormat, batch: ArrowBatch, fetched: Any, wanted: OffsetRange) -> dict[str, Any]:
        import pyarrow as pa  # noqa: PLC0415  likewise

        from kafkars.spark import decoding  # noqa: PLC0415  only queries that decode need it

        decoded = decoding.decoder(form).decode(
            batch, fetched.column(OFFSET), fetched.num_rows, wanted.partition, fail_fast=self._fail_fast
        )
        values = decoded.values
        found = dict(zip(values.type.names, values.flatten(), strict=True)) if form.flatten else {form.column: values}
        if form.corrupt in self.arrow.names:
            found[form.corrupt] = pa.nulls(fetched.num_rows, pa.binary())
            if decoded.poison:
                spoilt = set(decoded.poison)
                rows = [row if row in spoilt else None for row in range(fetched.num_rows)]
                found[form.corrupt] = fetched.column(form.column).take(pa.array(rows, pa.int64()))
        return found


def first_not_below(offsets: Any, end: int) -> int:
    """Returns the first row whose offset is not below `end`."""
    low, high = 0, len(offsets)
    while low < high:
        middle = (low + high) // 2
        if offsets[middle].as_py() < end:
            low = middle + 1
        else:
            high = middle
    return low


def _is_of(name: str, form: PayloadFormat) -> bool:
    """True if a column comes from the payloads that the format decodes."""
    from kafkars.spark import decoding  # noqa: PLC0415  only queries that decode need it

    return name in (decoding.decoder(form).type.names if form.flatten else [form.column]) or name == form.corrupt
