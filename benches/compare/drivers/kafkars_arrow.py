"""kafkars: `poll_arrow`, sync and under `kafkars.aio`, taken as tables of pyarrow."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import kafkars
import kafkars.aio
import pyarrow as pa
import pyarrow.compute as pc

from benches.compare.drivers.kafkars import POLL_SECONDS, consumer_config, partitions, version
from benches.compare.payload import checksum_of_one
from benches.compare.task import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkars import ArrowBatch

    from benches.compare.task import Task, Window

__all__ = ["JOBS", "version"]

# The first table of pyarrow imports what there is of pandas; imports are not measured.
pc.sum(pc.binary_length(pa.table(pa.table({"a": [b""]}))["a"]))

ROWS = 50_000
"""What a call asks for at most, as the source of Spark does: rows of a table cost no Python objects."""
TOUCHED = ("key", "value")


class Total:
    """What was read so far."""

    def __init__(self, task: Task, columns: Sequence[str] | None = None) -> None:
        self._task = task
        self.columns = columns
        self.count = self.touched = self.checksum = 0

    @property
    def most(self) -> int:
        """How many rows the next call asks for."""
        return min(ROWS, self._task.records - self.count)

    def add(self, batch: ArrowBatch) -> None:
        """Touches the keys and values of a batch."""
        table: Any = pa.table(batch)
        for column in TOUCHED:
            self.touched += pc.sum(pc.binary_length(table[column])).as_py() or 0
        self.count += table.num_rows
        if self._task.verify:
            pairs = zip(table["key"].to_pylist(), table["value"].to_pylist(), strict=True)
            self.checksum += sum(checksum_of_one(key, value) for key, value in pairs)

    def outcome(self, config: dict[str, Any]) -> Outcome:
        """As a driver answers it."""
        checksum = self.checksum if self._task.verify else None
        return Outcome(self.count, self.touched, checksum, {**config, "max_records": ROWS, "columns": self.columns})


def consume(task: Task, window: Window) -> Outcome:
    return consumed(task, window, Total(task))


def consume_some(task: Task, window: Window) -> Outcome:
    return consumed(task, window, Total(task, TOUCHED))


def consumed(task: Task, window: Window, total: Total) -> Outcome:
    config = consumer_config(task)
    with window:
        consumer = kafkars.Consumer(**config)
        consumer.assign(partitions(task))
        while total.most:
            total.add(consumer.poll_arrow(total.most, POLL_SECONDS, columns=total.columns))
        window.end()
        consumer.close()
    return total.outcome(config)


def consume_asyncio(task: Task, window: Window) -> Outcome:
    config, total = consumer_config(task), Total(task)

    async def run() -> None:
        with window:
            consumer = kafkars.aio.Consumer(**config)
            consumer.assign(partitions(task))
            while total.most:
                total.add(await consumer.poll_arrow(total.most, POLL_SECONDS, columns=total.columns))
            window.end()
            await consumer.close()

    asyncio.run(run())
    return total.outcome(config)


JOBS = {"consume-arrow": consume, "consume-arrow-some": consume_some, "consume-arrow-asyncio": consume_asyncio}
