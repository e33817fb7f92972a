"""`ConsumerRecord`, under the path of kafka-python (`kafka.consumer.fetcher`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from kafkars import Record

__all__ = ["ConsumerRecord", "record_of"]


class ConsumerRecord(NamedTuple):
    """A record as it was read. The order of the fields is that of kafka-python 2.3 and 3."""

    topic: str
    partition: int
    leader_epoch: int | None
    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    timestamp_type: int
    """0: the producer's, 1: the broker's."""
    key: Any
    value: Any
    headers: list[tuple[str, bytes]]
    checksum: int | None
    """None: batches have one checksum for all of their records."""
    serialized_key_size: int
    serialized_value_size: int
    serialized_header_size: int


# What `ConsumerRecord._make` does, without counting the fields of every record.
_new: Callable[[tuple[Any, ...]], ConsumerRecord] = functools.partial(tuple.__new__, ConsumerRecord)


def record_of(record: Record[Any, Any], key: Any, value: Any) -> ConsumerRecord:
    """A record of the engine as one of kafka-python, with its key and value as deserializers made them."""
    headers = record.headers
    size = -1
    if headers:
        size = sum(len(name.encode()) + (0 if data is None else len(data)) for name, data in headers)
    return _new(
        (
            record.topic,
            record.partition,
            record.leader_epoch,
            record.offset,
            record.timestamp,
            record.timestamp_type._value_,
            key,
            value,
            list(headers) if headers else [],
            None,
            record.serialized_key_size,
            record.serialized_value_size,
            size,
        )
    )
