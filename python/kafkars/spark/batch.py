"""Batch queries: they read the records that there are when they are planned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from kafkars.errors import ConfigError
from kafkars.spark import ranges
from kafkars.spark.offsets import names
from kafkars.spark.options import SourceOptions
from kafkars.spark.planner import Planner
from kafkars.spark.ranges import OffsetRange
from kafkars.spark.tasks import Task, rows


class BatchReader(DataSourceReader):
    """Reads the offsets of a batch query, whose start and end the driver looks up once."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self.options = options
        self.asked = schema

    def partitions(self) -> list[InputPartition]:
        """Returns the tasks."""
        options = self.options
        planner = Planner(options)
        try:
            wanted = self.narrow(planner, plan(planner, options))
        finally:
            planner.close()
        return [Task(each) for each in ranges.tasks(wanted, options.min_partitions, options.max_records_per_partition)]

    def narrow(self, planner: Planner, wanted: list[OffsetRange]) -> list[OffsetRange]:
        """Returns the part of the ranges that the query's filters leave; without filters all of it."""
        del planner
        return wanted

    def read(self, partition: InputPartition | None) -> Iterator[Any]:
        """Returns the rows of one task."""
        return rows(partition, self.options, self.asked)


class PushingReader(BatchReader):
    """Reads only the offsets that filters on topic, partition, offset and timestamp leave. Spark still applies them
    all.
    """

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        super().__init__(options, schema)
        self.topics: set[str] | None = None
        self.numbers: set[int] | None = None
        self.first: int | None = None
        self.end: int | None = None
        self.since: int | None = None

    def pushFilters(self, filters: list[Any]) -> Iterator[Any]:  # noqa: N802  Spark's name
        """Notes the filters that bound the ranges, and returns every filter, so that Spark applies it as well."""
        for each in filters:
            column = each.attribute[0] if len(getattr(each, "attribute", ())) == 1 else None
            self._note(type(each).__name__, column, getattr(each, "value", None))
            yield each

    def narrow(self, planner: Planner, wanted: list[OffsetRange]) -> list[OffsetRange]:
        """See the base."""
        kept = [
            each
            for each in wanted
            if (self.topics is None or each.partition.topic in self.topics)
            and (self.numbers is None or each.partition.partition in self.numbers)
        ]
        since = planner.since([each.partition for each in kept], self.since) if self.since is not None else {}
        return [
            OffsetRange(
                each.partition,
                max(each.start, self.first or 0, since.get(each.partition, each.end) if self.since is not None else 0),
                each.end if self.end is None else min(each.end, self.end),
            )
            for each in kept
        ]

    def _note(self, kind: str, column: str | None, value: Any) -> None:
        if value is None:
            return
        # A comparison with null is never true.
        chosen = {value} if kind == "EqualTo" else set(value) - {None} if kind == "In" else None
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
            # Timestamps need not grow with offsets, so only the records before the first one that is new enough are
            # left out.
            try:
                milliseconds = max(int(value.timestamp() * 1_000), 0)
            except (OverflowError, ValueError, OSError):
                return  # In another zone its year is 0 or 10,000, which Python has no times for.
            self.since = milliseconds if self.since is None else max(self.since, milliseconds)

    def _from(self, offset: int) -> None:
        self.first = offset if self.first is None else max(self.first, offset)

    def _to(self, offset: int) -> None:
        self.end = offset if self.end is None else min(self.end, offset)


def plan(planner: Planner, options: SourceOptions) -> list[OffsetRange]:
    """Returns the ranges of a batch query before filters."""
    partitions = planner.partitions()
    start = planner.resolve(options.starting, partitions)
    end = planner.resolve(options.ending, partitions)
    gone = [each for each in partitions if each not in start or each not in end]
    if gone:
        planner.report_loss(f"{', '.join(map(str, gone))} vanished while the query was planned")
    wanted = [OffsetRange(each, start[each], end[each]) for each in partitions if each in start and each in end]
    turned = [each for each in wanted if each.size < 0]
    if turned:
        told = ", ".join(
            f"{names([each.partition])} would begin at {each.start} and end at {each.end}" for each in turned
        )
        if options.starting.named != "committed":
            raise ConfigError(f"{options.starting.option}, {options.ending.option}: {told}")
        planner.report_loss(f"offsets that were committed are not there: {told}")
    return wanted
