"""Arrow columns of what a consumer reads: what the synchronous and the asyncio one share."""

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
    """The columns of a batch that the consumer has just handed out.

    Where a record does not fit, none of the batch was read: the application has nothing of it, so the consumer goes
    back.
    """
    try:
        return batch.to_arrow(columns, layout=layout)
    except DeserializationError:
        for partition, records in batch.by_partition().items():
            # Another thread may have given the partition up.
            with suppress(KafkaError):
                consumer.seek(partition, records[0].offset)
        raise
