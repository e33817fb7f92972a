"""Arrow columns of fetched records, for the synchronous and the asyncio consumer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kafkars.errors import DeserializationError, KafkaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kafkars import _kafkars
    from kafkars._typing import ArrowLayout


def to_arrow(
    consumer: _kafkars.BaseConsumer[Any, Any],
    batch: _kafkars.RecordBatch[Any, Any],
    columns: Sequence[str] | None,
    layout: ArrowLayout,
) -> _kafkars.ArrowBatch:
    """Converts a batch that the consumer has just returned into Arrow columns.

    If a record does not fit, the application gets nothing of the batch, so the consumer seeks back to its start.
    """
    try:
        return batch.to_arrow(columns, layout=layout)
    except DeserializationError:
        for partition, records in batch.by_partition().items():
            # The partition may have been unassigned meanwhile, by another thread.
            with suppress(KafkaError):
                consumer.seek(partition, records[0].offset)
        raise
