"""`ConsumerRecord`, under the path of kafka-python (`kafka.consumer.fetcher`)."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["ConsumerRecord"]


class ConsumerRecord(NamedTuple):
    """A consumed record. The order of the fields is that of kafka-python 2.3 and 3.

    Native code fills it field by field (`kafkars-python/src/compat/kafka_python/record.rs`).
    """

    topic: str
    partition: int
    leader_epoch: int | None
    offset: int
    timestamp: int
    """Milliseconds since 1970."""
    timestamp_type: int
    """0: CreateTime, 1: LogAppendTime."""
    key: Any
    value: Any
    headers: list[tuple[str, bytes]]
    checksum: int | None
    """None: batches have one checksum for all of their records."""
    serialized_key_size: int
    serialized_value_size: int
    serialized_header_size: int
