"""Records without a broker, for tests of functions that handle them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars

if TYPE_CHECKING:
    from kafkars import Record, RecordMetadata

UNKNOWN_SIZE = -1


def record(
    value: Any = None,
    key: Any = None,
    *,
    topic: str = "topic",
    partition: int = 0,
    offset: int = 0,
    timestamp: int | dt.datetime = 0,
    headers: Mapping[str, bytes | None] | Iterable[tuple[str, bytes | None]] = (),
    leader_epoch: int | None = None,
) -> Record[Any, Any]:
    """Makes a record as a consumer returns it.

    ```python
    assert total_of(record(b'{"price": 3}', topic="orders", offset=7)) == 3
    ```

    Args:
        value: Bytes, or text as UTF-8, or None for a tombstone. Anything else stands for the result of a deserializer;
            then `raw_value` is None.
        key: As `value`.
        topic: Name of the topic.
        partition: Number of the partition.
        offset: Position in the partition.
        timestamp: Milliseconds since 1970, or a `datetime` with a time zone.
        headers: Pairs of name and bytes or None; or a mapping.
        leader_epoch: Epoch of the leader that stored it; None if unknown.

    Raises:
        TypeError: Something has the wrong type.
        ValueError: `timestamp` has no time zone.
    """
    raw_key, raw_value = _raw(key), _raw(value)
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    epoch = -1 if leader_epoch is None else leader_epoch
    parts = (topic, partition, offset, _milliseconds(timestamp), False, epoch, raw_key, raw_value, list(pairs))
    is_made = any(each is not None and raw is None for each, raw in ((key, raw_key), (value, raw_value)))
    return _kafkars._restore_record(parts, ((True, key), (True, value)) if is_made else None)


def record_metadata(
    topic: str = "topic",
    partition: int = 0,
    offset: int = 0,
    *,
    timestamp: int | dt.datetime = 0,
    serialized_key_size: int = UNKNOWN_SIZE,
    serialized_value_size: int = UNKNOWN_SIZE,
) -> RecordMetadata:
    """Makes the result of a delivery's future, for tests with a fake producer.

    Args:
        topic: Name of the topic.
        partition: Number of the partition.
        offset: Position in the partition.
        timestamp: Milliseconds since 1970, or a `datetime` with a time zone.
        serialized_key_size: Bytes of the key, or -1 for none.
        serialized_value_size: Bytes of the value, or -1 for none.

    Raises:
        TypeError: Something has the wrong type.
        ValueError: `timestamp` has no time zone.
    """
    moment = _milliseconds(timestamp)
    return _kafkars._restore_metadata(
        (topic, partition, offset, moment, False, serialized_key_size, serialized_value_size)
    )


def _raw(given: Any) -> bytes | None:
    if isinstance(given, str):
        return given.encode()
    return bytes(given) if isinstance(given, bytes | bytearray | memoryview) else None


def _milliseconds(given: int | dt.datetime) -> int:
    if not isinstance(given, dt.datetime):
        return given
    if given.tzinfo is None:
        raise ValueError("timestamp: the datetime has no time zone")
    return (given - dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)) // dt.timedelta(milliseconds=1)
