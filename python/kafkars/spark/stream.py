"""The streaming source. Spark keeps its offsets in the checkpoint, in the form of its own Kafka source."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, ReadMinRows, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from kafkars.spark import ranges
from kafkars.spark.offsets import Offsets, from_json, names, to_json
from kafkars.spark.options import SourceOptions
from kafkars.spark.planner import Planner
from kafkars.spark.ranges import OffsetRange
from kafkars.spark.tasks import Task, rows
from kafkars.types import TopicPartition

Shape = dict[str, dict[str, int]]

MISSING_SECONDS = 10.0
"""Seconds for which no answer must know a partition before it counts as deleted. A partition that a micro-batch leaves
out would be read from its beginning if it came back, and a broker that has just started knows no topics yet. Meanwhile
other partitions are read, and nothing of this one."""

MISSING_PAUSE_SECONDS = 0.2
"""Seconds between two questions meanwhile, for a query that plans only once."""


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans the micro-batches of a query on the driver; pickled copies of it read on the executors."""

    def __init__(self, options: SourceOptions, schema: StructType) -> None:
        self.options = options
        self.asked = schema
        self._planner = Planner(options)
        self._target: Offsets | None = None
        self._heard: Offsets | None = None
        """The ends that the last micro-batch was planned with."""
        self._missing_since: dict[TopicPartition, float] = {}
        """For partitions that an answer did not know, the time of the first of these answers."""
        self._triggered: float | None = None
        self._committed: Offsets = {}

    def initialOffset(self) -> Shape:  # noqa: N802  Spark's name
        """Returns the offsets at which a new query begins."""
        return to_json(self._planner.resolve(self.options.starting, self._planner.partitions()))

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802  Spark's name
        """Sets the end of a query that is to read only the records that there are now."""
        self._target = self._ends()

    def getDefaultReadLimit(self) -> Any:  # noqa: N802  Spark's name
        """Returns the limit that Spark passes to `latestOffset`. It has one of the bounds; the other is looked up
        there.
        """
        if self.options.max_offsets is not None:
            return ReadMaxRows(self.options.max_offsets)
        if self.options.min_offsets is not None:
            return ReadMinRows(self.options.min_offsets)
        return ReadAllAvailable()

    def latestOffset(self, start: Shape, limit: Any) -> Shape:  # noqa: N802  Spark's name
        """Returns the offsets at which the next micro-batch ends."""
        # Everything before `start` is done. Spark's commit() of the last batch would come with the next one, or never.
        begin = from_json(start)
        self._commit(begin)
        end = self._heard = self._end(begin)
        if isinstance(limit, ReadAllAvailable):
            return to_json(end)
        new = [each for each in end if each not in begin]
        full = {**begin, **self._planner.earliest(new)} if new else begin
        known = {each: offset for each, offset in end.items() if each in full}
        if self._waits_for_more(full, known):
            return start
        at_most = limit.max_rows if isinstance(limit, ReadMaxRows) else self.options.max_offsets
        return to_json(known if at_most is None else ranges.limit(full, known, at_most))

    def reportLatestOffset(self) -> Shape | None:  # noqa: N802  Spark's name
        """Returns the ends of all partitions, for the progress that Spark reports of a micro-batch: those that the
        batch was planned with. To look them up again would cost each batch as much as planning it.
        """
        return None if self._heard is None else to_json(self._heard)

    def partitions(self, start: Shape, end: Shape) -> list[InputPartition]:
        """Returns the tasks of one micro-batch."""
        begin, until = from_json(start), from_json(end)
        new = [each for each in until if each not in begin]
        first = self._planner.earliest(new)
        if len(first) < len(new):
            self._planner.report_loss(f"{names(each for each in new if each not in first)} came and went")
        late = {each: offset for each, offset in first.items() if offset > 0}
        if late:
            self._planner.report_loss(f"{names(late)} came while the query ran, and records are gone already")
        gone = [each for each in begin if each not in until]
        if gone:
            self._planner.report_loss(f"{names(gone)} vanished")
        begin = {**first, **begin}
        wanted = [OffsetRange(each, begin[each], offset) for each, offset in until.items() if each in begin]
        for each in wanted:
            if each.size < 0:
                self._planner.report_loss(
                    f"{names([each.partition])} ended at {each.end}, before the offset {each.start} read last"
                )
        options = self.options
        return [Task(each) for each in ranges.tasks(wanted, options.min_partitions, options.max_records_per_partition)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Returns the rows of one task."""
        return rows(partition, self.options, self.asked)

    def commit(self, end: Shape) -> None:
        """Called when Spark has finished everything before `end`."""
        self._commit(from_json(end))

    def stop(self) -> None:
        """Called when the query has ended."""
        self._planner.close()

    def _end(self, begin: Offsets) -> Offsets:
        """Returns the offsets up to which micro-batches can be planned now."""
        if self._target is None:
            return self._newest(begin)
        unknown = [each for each in begin if each not in self._target]
        if unknown:
            newest = self._newest(begin)
            # A later run may be as short as this one, so the query waits here to learn what is gone.
            while self._missing_since and any(each in newest for each in self._missing_since):
                time.sleep(MISSING_PAUSE_SECONDS)
                newest = self._newest(begin)
            self._target = {**self._target, **{each: newest[each] for each in unknown if each in newest}}
        return self._target

    def _ends(self) -> Offsets:
        """Returns the ends of all existing partitions."""
        return self._planner.latest(self._planner.partitions(must_exist=False))

    def _newest(self, known: Offsets) -> Offsets:
        """Returns the ends of all partitions, but none before a `known` one: a broker that is behind may tell an older
        end than was told before. A known partition that is missing keeps its place until it counts as deleted.
        """
        found = self._ends()
        for _ in range(self.options.retries - 1):
            if all(offset >= known.get(each, 0) for each, offset in found.items()):
                break
            time.sleep(self.options.retry_interval)
            found = self._ends()
        now = time.monotonic()
        self._missing_since = {each: self._missing_since.get(each, now) for each in known if each not in found}
        held = [each for each, since in self._missing_since.items() if now - since < MISSING_SECONDS]
        return {**found, **{each: known[each] for each in held}}

    def _waits_for_more(self, begin: Offsets, end: Offsets) -> bool:
        """True while there is less than `minOffsetsPerTrigger` and `maxTriggerDelay` is not over."""
        least = self.options.min_offsets
        if least is None or self._target is not None:
            return False
        now = time.monotonic()
        there = sum(offset - begin[each] for each, offset in end.items())
        waited = self._triggered is None or now - self._triggered >= self.options.max_trigger_delay
        if there < least and not waited:
            return True
        self._triggered = now
        return False

    def _commit(self, offsets: Offsets) -> None:
        group = self.options.commit_group
        # Groups have no offsets of partitions that are not there.
        offsets = {each: offset for each, offset in offsets.items() if each not in self._missing_since}
        if group is None or not offsets or offsets == self._committed:
            return
        if self._planner.commit(group, offsets):
            self._committed = offsets
