"""The tasks of a reading query: each reads a range of one partition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import InputPartition
from pyspark.sql.types import StructType

from kafkars.spark import reading
from kafkars.spark.columns import Columns
from kafkars.spark.options import SourceOptions
from kafkars.spark.processes import spare_modules
from kafkars.spark.ranges import OffsetRange
from kafkars.types import TopicPartition


class Task(InputPartition):
    """A range of one partition, for one task."""

    def __init__(self, wanted: OffsetRange) -> None:
        super().__init__(wanted)
        self.topic, self.partition = wanted.partition
        self.start, self.end = wanted.start, wanted.end

    @property
    def range(self) -> OffsetRange:
        """The range that the task reads."""
        return OffsetRange(TopicPartition(self.topic, self.partition), self.start, self.end)


def rows(task: InputPartition | None, options: SourceOptions, schema: StructType) -> Iterator[Any]:
    """Yields the Arrow batches of a task. If there is nothing to read, Spark calls it once with a task of its own."""
    if not isinstance(task, Task):
        return iter(())
    columns = Columns(schema, options)
    # Here, because pyarrow has been imported by now.
    spare_modules()
    return reading.read(task.range, columns, options)
