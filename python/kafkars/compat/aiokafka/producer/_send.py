"""Sends as aiokafka has them, by the producer's own methods.

The native `send()` of the class leads here where a record cannot be sent in one step: its topic is not known yet, or
the program has replaced what aiokafka calls for every record.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kafkars import _kafkars
from kafkars.compat._turns import turn

if TYPE_CHECKING:
    from kafkars.compat.aiokafka.producer.producer import AIOKafkaProducer
    from kafkars.compat.aiokafka.structs import RecordMetadata


async def send(
    producer: AIOKafkaProducer,
    topic: str,
    value: Any = None,
    key: Any = None,
    partition: int | None = None,
    timestamp_ms: int | None = None,
    headers: Sequence[tuple[str, bytes | None]] | None = None,
) -> asyncio.Future[RecordMetadata]:
    """Hands a record to the producer once its topic is known. Until then it is nobody's but the caller's: who cancels
    this has not sent it, and neither `flush()` nor a commit waits for it.
    """
    if value is None and key is None:
        raise AssertionError("a record needs a value or a key")
    if _kafkars.turn_is_due():
        await turn()
    await producer._known_topics_.wait(producer, topic)
    producer._check_in_transaction_()
    # `_serialize()` may add to them.
    headers = headers or []
    key_bytes, value_bytes = producer._serialize(key, value, headers)
    number = producer._partition(topic, partition, key, value, key_bytes, value_bytes)
    given = (topic, value_bytes, key_bytes, number, timestamp_ms, headers)
    call = _kafkars.AiokafkaSender._send_bytes(producer, *given)
    # Whoever is cancelled from here on has sent it, so that nothing is waited for without need.
    return call.result() if call.done() else await call


async def send_and_wait(producer: Any, *arguments: Any, **keywords: Any) -> Any:
    """Sends a record by whatever is the producer's `send()`, and waits until it is stored."""
    return await (await producer.send(*arguments, **keywords))


# Whoever never awaits the call hears of it by the name that was called.
send.__qualname__ = "AIOKafkaProducer.send"
send_and_wait.__qualname__ = "AIOKafkaProducer.send_and_wait"
