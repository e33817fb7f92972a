"""`format("kafkars")`: what PySpark makes an instance of for each query."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafkars.errors import ConfigError
from kafkars.spark import ranges, reading
from kafkars.spark import schema as columns_of_spark
from kafkars.spark.columns import Columns
from kafkars.spark.options import SourceOptions, sink_options, source_options
from kafkars.spark.planner import Planner
from kafkars.spark.ranges import Range
from kafkars.types import TopicPartition

PUSHES_FILTERS = "pyspark.sql.worker.data_source_pushdown_filters"
"""Spark's worker that pushes filters. It runs only where `spark.sql.python.filterPushdown.enabled` is true, and a
reader that takes filters makes the query fail where it is not."""


class KafkaSource(DataSource):
    """Kafka as a source and a sink; see `kafkars.spark`."""

    @classmethod
    def name(cls) -> str:
        """What stands in `format()`."""
        return "kafkars"

    def schema(self) -> StructType:
        """The columns without a schema of the program's own. Options are checked here, as soon as `load()` is
        called.
        """
        return columns_of_spark.full(self._options(streaming=None))

    def reader(self, schema: StructType) -> DataSourceReader:
        """What reads a batch query."""
        options = self._options(streaming=False)
        columns_of_spark.check_asked(schema, options)
        return (PushingReader if pushes_filters() else BatchReader)(options, schema)

    def streamReader(self, schema: StructType) -> Any:  # noqa: N802  Spark's name
        """What reads a stream."""
        from kafkars.spark.stream import StreamReader  # noqa: PLC0415  a batch query does not need it

        options = self._options(streaming=True)
        columns_of_spark.check_asked(schema, options)
        return StreamReader(options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> Any:
        """What writes the rows of a batch query."""
        from kafkars.spark.sink import BatchWriter  # noqa: PLC0415  a reading query does not need it

        if overwrite:
            raise ConfigError('mode: records are appended to a topic, never overwritten; use mode("append")')
        return BatchWriter(sink_options(dict(self.options), streaming=False), schema)

    def streamWriter(self, schema: StructType, overwrite: bool) -> Any:  # noqa: N802  Spark's name
        """What writes the rows of a stream. In complete mode each batch appends the whole result, as Spark's own sink
        does.
        """
        from kafkars.spark.sink import StreamWriter  # noqa: PLC0415  likewise

        del overwrite
        return StreamWriter(sink_options(dict(self.options), streaming=True), schema)

    def _options(self, *, streaming: bool | None) -> SourceOptions:
        """The options, with the schemas that a registry has."""
        found = source_options(dict(self.options), streaming=streaming)
        return replace(found, formats=tuple(each.resolved() for each in found.formats))


class Task(InputPartition):
    """A range of one partition, for one task."""

    def __init__(self, wanted: Range) -> None:
        super().__init__(wanted)
        self.topic, self.partition = wanted.partition
        self.start, self.end = wanted.start, wanted.end

    @property
    def range(self) -> Range:
        """What the task reads."""
        return Range(TopicPartition(self.topic, self.partition), self.start, self.end)


class BatchReader(DataSourceReader):
    """Reads from where a query begins to where it ends, both found once, on the driver."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self.options = options
        self.asked = schema

    def partitions(self) -> list[InputPartition]:
        """The tasks."""
        options = self.options
        planner = Planner(options)
        try:
            wanted = self.narrow(planner, plan(planner, options))
        finally:
            planner.close()
        return [Task(each) for each in ranges.tasks(wanted, options.min_partitions, options.max_records_per_partition)]

    def narrow(self, planner: Planner, wanted: list[Range]) -> list[Range]:
        """The part of the ranges that the query's filters leave; without filters all of it."""
        del planner
        return wanted

    def read(self, partition: InputPartition | None) -> Iterator[Any]:
        """The rows of one task."""
        return rows(partition, self.options, self.asked)


class PushingReader(BatchReader):
    """Reads no more than filters on partition, offset and timestamp leave. Spark still applies all of them."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        super().__init__(options, schema)
        self.topics: set[str] | None = None
        self.numbers: set[int] | None = None
        self.first: int | None = None
        self.end: int | None = None
        self.since: int | None = None

    def pushFilters(self, filters: list[Any]) -> Iterator[Any]:  # noqa: N802  Spark's name
        """Takes note of what bounds the ranges, and leaves every filter to Spark as well."""
        for each in filters:
            column = each.attribute[0] if len(getattr(each, "attribute", ())) == 1 else None
            self._note(type(each).__name__, column, getattr(each, "value", None))
            yield each

    def narrow(self, planner: Planner, wanted: list[Range]) -> list[Range]:
        """See the base."""
        kept = [
            each
            for each in wanted
            if (self.topics is None or each.partition.topic in self.topics)
            and (self.numbers is None or each.partition.partition in self.numbers)
        ]
        since = planner.since([each.partition for each in kept], self.since) if self.since is not None else {}
        return [
            Range(
                each.partition,
                max(each.start, self.first or 0, since.get(each.partition, each.end) if self.since is not None else 0),
                each.end if self.end is None else min(each.end, self.end),
            )
            for each in kept
        ]

    def _note(self, kind: str, column: str | None, value: Any) -> None:
        if value is None:
            return
        chosen = {value} if kind == "EqualTo" else set(value) if kind == "In" else None
        if column == "topic" and chosen is not None:
            self.topics = chosen if self.topics is None else self.topics & chosen
        elif column == "partition" and chosen is not None:
            self.numbers = chosen if self.numbers is None else self.numbers & chosen
        elif column == "offset" and chosen is not None:
            self._from(min(chosen, default=0))
            self._to(max(chosen, default=-1) + 1)
        elif column == "offset" and kind in {"GreaterThan", "GreaterThanOrEqual"}:
            self._from(value + (kind == "GreaterThan"))
        elif column == "offset" and kind in {"LessThan", "LessThanOrEqual"}:
            self._to(value + (kind == "LessThanOrEqual"))
        elif column == "timestamp" and kind in {"GreaterThan", "GreaterThanOrEqual", "EqualTo"}:
            # Times of records need not grow with offsets: only what lies before the first record that is not older is
            # left out.
            milliseconds = int(value.timestamp() * 1_000)
            self.since = milliseconds if self.since is None else max(self.since, milliseconds)

    def _from(self, offset: int) -> None:
        self.first = offset if self.first is None else max(self.first, offset)

    def _to(self, offset: int) -> None:
        self.end = offset if self.end is None else min(self.end, offset)


def plan(planner: Planner, options: SourceOptions) -> list[Range]:
    """The whole ranges of a batch query."""
    partitions = planner.partitions()
    start = planner.resolve(options.starting, partitions)
    end = planner.resolve(options.ending, partitions)
    gone = [each for each in partitions if each not in start or each not in end]
    if gone:
        planner.report_loss(f"{', '.join(map(str, gone))} vanished while the query was planned")
    return [Range(each, start[each], end[each]) for each in partitions if each in start and each in end]


def rows(task: InputPartition | None, options: SourceOptions, schema: StructType) -> Iterator[Any]:
    """The Arrow batches of a task. Where there is nothing to read, Spark asks once, with a task of its own."""
    if not isinstance(task, Task):
        return iter(())
    return reading.read(task.range, Columns(schema, options), options)


def pushes_filters() -> bool:
    """True in the worker of Spark that pushes filters."""
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return PUSHES_FILTERS in sys.modules or getattr(main, "name", "") == PUSHES_FILTERS
