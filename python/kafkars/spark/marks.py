"""Marks of progress: the last micro-batch that a task of a query has written.

A mark is the number of the next batch, committed as the offset of a group that exists for it only, in the transaction
that writes the rows. Its metadata is a digest of the rows, so that a replay with other rows is not skipped in silence.
"""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from kafkars.admin import Admin
from kafkars.config.admin import AdminConfig
from kafkars.config.consumer import ConsumerConfig
from kafkars.consumer import Consumer
from kafkars.errors import ClientStateError
from kafkars.spark import client_settings
from kafkars.spark.errors import ReplayDiffersError
from kafkars.spark.options import SinkOptions
from kafkars.types import ConsumerGroupMetadata, OffsetAndMetadata, TopicPartition


class MicroBatchTask(NamedTuple):
    """A task of a micro-batch. A replay has the same query, number and task."""

    query: str
    """Id of the query, which is kept in its checkpoint."""
    number: int
    task: int
    run: str = ""
    """Id of the query's run, which changes with each start."""

    @classmethod
    def of_this_task(cls) -> MicroBatchTask:
        """Returns the task that runs in this process.

        Raises:
            ClientStateError: It does not belong to a streaming query.
        """
        from pyspark import TaskContext  # noqa: PLC0415  only tasks have one

        context = TaskContext.get()
        query = context.getLocalProperty("sql.streaming.queryId") if context is not None else None
        number = context.getLocalProperty("streaming.sql.batchId") if context is not None else None
        if context is None or query is None or number is None:
            raise ClientStateError("kafkars.delivery=exactly-once: this task belongs to no micro-batch")
        run = context.getLocalProperty("spark.jobGroup.id") or ""
        return cls(query, int(number), context.partitionId(), run)


class Digest:
    """The number of rows and a checksum of them that does not depend on their order."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, topic: str, table: Any) -> None:
        """Adds the rows of an Arrow batch."""
        keys, values, rest = _bytes(table, "key"), _bytes(table, "value"), _rest(table)
        seed = zlib.crc32(topic.encode())
        crc = zlib.crc32
        total = 0
        for key, value, more in zip(keys, values, rest, strict=True):
            # The lengths tell keys from values, and null from empty.
            lengths = b"%d %d" % (-1 if key is None else len(key), -1 if value is None else len(value))
            total += crc(more, crc(value or b"", crc(key or b"", crc(lengths, seed))))
        self.rows += table.num_rows
        self._sum = (self._sum + total) % 2**64

    def text(self) -> str:
        """Returns the digest as it is committed with the mark."""
        return json.dumps({"rows": self.rows, "digest": f"{self._sum:016x}"})


def check_shape(options: SinkOptions, query: str, number: int, tasks: int) -> None:
    """Checks that there are no marks of tasks that a micro-batch does not have any more.

    A task of a replay knows its own mark, but not how many tasks there are, so the driver checks this when the batch is
    done.

    Raises:
        ReplayDiffersError: An earlier attempt had more tasks, and some of them have written what has been written now
            by others.
    """
    prefix = f"{options.prefix}-{query}-"
    place = TopicPartition(options.marks_topic or "", 0)
    with Admin(client_settings.make(AdminConfig, client_settings.part(options.settings, AdminConfig))) as admin:
        later = [
            group.group_id
            for group in admin.list_groups()
            if group.group_id.startswith(prefix)
            and group.group_id.removeprefix(prefix).isdecimal()
            and int(group.group_id.removeprefix(prefix)) >= tasks
        ]
        marks = admin.list_group_offsets({group: [place] for group in later}) if later else {}
    written = [group for group, found in marks.items() if place in found and found[place].offset > number]
    if written:
        raise ReplayDiffersError(
            f"micro-batch {number} of query {query} was written by {tasks} tasks, and an earlier attempt had more: the rows of "
            f"its tasks {', '.join(group.removeprefix(prefix) for group in written)} are in the topic twice. Was minPartitions, "
            "spark.sql.shuffle.partitions or the query changed since? When these rows are dealt with, the query goes on after "
            f"the groups {', '.join(written)} are deleted"
        )


class Mark:
    """The mark of one task of a query."""

    def __init__(self, options: SinkOptions, group: str) -> None:
        self._options = options
        self._group = group
        self._place = TopicPartition(options.marks_topic or "", 0)
        self._found: OffsetAndMetadata | None = None

    def is_past(self, batch: MicroBatchTask) -> bool:
        """True if the batch has been written. To be called when no earlier attempt can write any more."""
        own: dict[str, Any] = {**client_settings.part(self._options.settings, ConsumerConfig), "group_id": self._group}
        with Consumer(client_settings.make(ConsumerConfig, {**own, "enable_auto_commit": False})) as consumer:
            self._found = consumer.committed([self._place]).get(self._place)
        return self._found is not None and self._found.offset > batch.number

    def compare(self, batch: MicroBatchTask, tables: Iterable[tuple[str, Any]]) -> int:
        """Compares the rows of a replay with those that were written.

        Returns:
            The number of rows.

        Raises:
            ReplayDiffersError: They differ, or a later batch has been written since.
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
        self, batch: MicroBatchTask, digest: Digest
    ) -> tuple[dict[TopicPartition, OffsetAndMetadata], ConsumerGroupMetadata]:
        """Returns the offset and the group metadata to commit in the transaction of the rows."""
        return (
            {self._place: OffsetAndMetadata(batch.number + 1, digest.text())},
            ConsumerGroupMetadata(self._group),
        )


def _bytes(table: Any, name: str) -> list[bytes | None]:
    if name not in table.schema.names:
        return [None] * table.num_rows
    column: list[bytes | None] = table.column(name).cast("binary").to_pylist()
    return column


def _rest(table: Any) -> Iterable[bytes]:
    """Returns partition and headers of each row as bytes, which are unique for their values."""
    columns = [table.column(name).to_pylist() for name in ("partition", "headers") if name in table.schema.names]
    if not columns:
        return itertools.repeat(b"", table.num_rows)
    return (repr(row).encode() for row in zip(*columns, strict=True))
