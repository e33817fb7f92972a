"""Topics and partitions for a `KafkaConsumer`, in any of the forms that it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from kafkars.compat.kafka_legacy.common import KafkaConfigurationError
from kafkars.compat.kafka_legacy.util import kafka_bytestring


class StartPosition(NamedTuple):
    """A partition, and the offset to start at; None if none is given."""

    topic: bytes
    partition: int
    offset: int | None


def places(topics: tuple[Any, ...], partitions_of: Callable[[bytes], list[int]]) -> Iterator[StartPosition]:
    """Returns the partitions that arguments name.

    Args:
        topics: Names; (topic, partition) or (topic, partition, offset); dictionaries of topics with a partition or
            several, or of (topic, partition) with an offset.
        partitions_of: Returns the partitions of a topic.

    Raises:
        KafkaConfigurationError: An argument is of another form.
    """
    for each in topics:
        if isinstance(each, (str, bytes)):
            name = kafka_bytestring(each)
            yield from (StartPosition(name, partition, None) for partition in partitions_of(name))
        elif isinstance(each, tuple):
            yield StartPosition(kafka_bytestring(each[0]), _number(each[1]), each[2] if len(each) == 3 else None)  # noqa: PLR2004
        elif isinstance(each, dict):
            for key, value in each.items():
                yield from _of_item(key, value)
        else:
            raise KafkaConfigurationError(f"Unknown topic type ({type(each)})")


def _of_item(key: Any, value: Any) -> Iterator[StartPosition]:
    if isinstance(key, tuple):
        yield StartPosition(kafka_bytestring(key[0]), _number(key[1]), value)
    elif not isinstance(key, (str, bytes)):
        raise KafkaConfigurationError(f"Unknown topic type ({type(key)})")
    elif isinstance(value, (list, tuple)):
        yield from (StartPosition(kafka_bytestring(key), _number(partition), None) for partition in value)
    elif isinstance(value, int):
        yield StartPosition(kafka_bytestring(key), value, None)
    else:
        raise KafkaConfigurationError("Unknown topic type (dict key must be int or list/tuple of ints)")


def _number(partition: Any) -> int:
    if not isinstance(partition, int):
        raise KafkaConfigurationError(f"Unknown partition type ({type(partition)}) -- expected int")
    return partition
