"""Marks of progress: which micro-batch a task of a query has written last.

A mark is an offset committed by a group of its own, in the transaction that holds the rows: the number of the next
batch. Beside it stands a digest of the rows, so that a replay with other rows is not skipped in silence.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from kafkars.config.consumer import ConsumerConfig
from kafkars.consumer import Consumer
from kafkars.errors import ClientStateError
from kafkars.spark import client_settings
from kafkars.spark.errors import ReplayDiffersError
from kafkars.spark.options import SinkOptions
from kafkars.types import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition

NULL = b"\xff\x00null"
"""Stands for null in a digest."""


class Batch(NamedTuple):
    """A task of a micro-batch. A replay has the same three."""

    query: str
    """Id of the query, which is kept in its checkpoint."""
    number: int
    task: int

    @classmethod
    def of_this_task(cls) -> Batch:
        """The task that runs in this process.

        Raises:
            ClientStateError: It belongs to no stream.
        """
        from pyspark import TaskContext  # noqa: PLC0415  only tasks have one

        context = TaskContext.get()
        query = context.getLocalProperty("sql.streaming.queryId") if context is not None else None
        number = context.getLocalProperty("streaming.sql.batchId") if context is not None else None
        if context is None or query is None or number is None:
            raise ClientStateError("kafkars.delivery=exactly-once: this task belongs to no micro-batch")
        return cls(query, int(number), context.partitionId())


class Digest:
    """Rows counted and summed up, in whatever order they come."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, topic: str, table: Any) -> None:
        """Takes the rows of an Arrow batch in."""
        columns = [_texts(table, name) for name in ("key", "value")]
        seed = zlib.crc32(topic.encode())
        crc = zlib.crc32
        total = 0
        for key, value in zip(*columns, strict=True):
            total += crc(NULL if value is None else value, crc(NULL if key is None else key, seed))
        self.rows += table.num_rows
        self._sum = (self._sum + total) % 2**64

    def text(self) -> str:
        """What is kept beside the mark."""
        return json.dumps({"rows": self.rows, "digest": f"{self._sum:016x}"})


class Mark:
    """The mark of one task of a query."""

    def __init__(self, options: SinkOptions, group: str) -> None:
        self._options = options
        self._group = group
        self._place = TopicPartition(options.marks_topic or "", 0)
        self._found: OffsetAndMetadata | None = None

    def is_past(self, batch: Batch) -> bool:
        """True if the batch has been written. Ask when no earlier attempt can write any more."""
        own: dict[str, Any] = {**client_settings.part(self._options.settings, ConsumerConfig), "group_id": self._group}
        with Consumer(client_settings.make(ConsumerConfig, {**own, "enable_auto_commit": False})) as consumer:
            self._found = consumer.committed([self._place]).get(self._place)
        return self._found is not None and self._found.offset > batch.number

    def compare(self, batch: Batch, tables: Iterable[tuple[str, Any]]) -> int:
        """Looks at the rows of a replay.

        Returns:
            How many there are.

        Raises:
            ReplayDiffersError: They are not those that were written, or a later batch has been written since.
        """
        found = self._found or OffsetAndMetadata(0)
        digest = Digest()
        for topic, table in tables:
            digest.add(topic, table)
        which = f"task {batch.task} of micro-batch {batch.number} of query {batch.query}"
        if found.offset != batch.number + 1:
            raise ReplayDiffersError(
                f"{which}: micro-batch {found.offset - 1} has been written already, so the checkpoint is older than the topic; "
                "another kafkars.transactional.id.prefix writes the rows again"
            )
        if found.metadata != digest.text():
            raise ReplayDiffersError(
                f"{which} was written with {found.metadata}, and came again with {digest.text()}: the rows of a replay must be "
                "the same. Was minPartitions, spark.sql.shuffle.partitions or the query changed since, or does it use random "
                "or current values? Go back to what it was for one run"
            )
        return digest.rows

    def offsets(
        self, batch: Batch, digest: Digest
    ) -> tuple[dict[TopicPartition, OffsetAndMetadata], ConsumerGroupMetadata]:
        """What goes into the transaction of the rows."""
        return (
            {self._place: OffsetAndMetadata(batch.number + 1, digest.text())},
            ConsumerGroupMetadata(self._group),
        )


def _texts(table: Any, name: str) -> list[bytes | None]:
    if name not in table.schema.names:
        return [None] * table.num_rows
    column: list[bytes | None] = table.column(name).cast("binary").to_pylist()
    return column
