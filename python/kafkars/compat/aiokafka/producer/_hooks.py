"""Methods of a producer that aiokafka calls for every record, where a subclass replaces them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars

if TYPE_CHECKING:
    import asyncio

    from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer

HOOKS = ("_partition", "_serialize")


async def send(
    producer: AIOKafkaProducer,
    topic: str,
    value: Any = None,
    key: Any = None,
    partition: int | None = None,
    timestamp_ms: int | None = None,
    headers: Sequence[tuple[str, bytes | None]] | None = None,
) -> asyncio.Future[Any]:
    """Hands a record to the producer, whose own methods make bytes of it and choose its partition."""
    if value is None and key is None:
        raise AssertionError("a record needs a value or a key")
    await producer.partitions_for(topic)
    key_bytes, value_bytes = producer._serialize(key, value, headers or [])
    number = producer._partition(topic, partition, key, value, key_bytes, value_bytes)
    return await _kafkars.AiokafkaSender.send(producer, topic, value_bytes, key_bytes, number, timestamp_ms, headers)


def replaced(kind: type[AIOKafkaProducer], base: type[AIOKafkaProducer]) -> bool:
    """Lets the `send()` of a subclass call what it replaces of `base`, as in aiokafka; False if it replaces nothing.
    The native one does not look for methods with every record.

    Raises:
        NotImplementedError: Its `send()` is another one, which calls that of `base`.
    """
    if all(inspect.getattr_static(kind, hook) is vars(base)[hook] for hook in HOOKS):
        return False
    found = inspect.getattr_static(kind, "send")
    if found is vars(base)["send"]:
        kind.send = send  # type: ignore[method-assign, assignment]  # its first parameter is the producer
    elif not any(vars(each).get("send") is send for each in kind.__mro__):
        raise NotImplementedError(
            f"{kind.__name__} replaces send() and one of {', '.join(HOOKS)}, which send() here does not call: set "
            "partitioner, key_serializer or value_serializer, or replace send() in a subclass of one that has the others"
        )
    return True
