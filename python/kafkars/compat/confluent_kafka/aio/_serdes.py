"""Asyncio clients whose keys and values are objects; serializers and deserializers may be coroutine functions."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, Generic

from kafkars._discreet import forget
from kafkars._kafkars import turn_is_due
from kafkars.compat._turns import turn
from kafkars.compat.confluent_kafka._arguments import seconds
from kafkars.compat.confluent_kafka._serdes import K, Serdes, V, given
from kafkars.compat.confluent_kafka.aio._consumer import AIOConsumer, check_number, deadline
from kafkars.compat.confluent_kafka.aio._producer import AIOProducer
from kafkars.compat.confluent_kafka.error import ConsumeError

if TYPE_CHECKING:
    from typing_extensions import Self


class Awaited:
    """A class that is called and awaited: its `__init__()`, and those of classes of programs that are derived from it,
    are coroutine functions.
    """

    if TYPE_CHECKING:

        def __await__(self) -> Generator[Any, None, Self]: ...

    else:

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            """Returns a coroutine of the client."""
            return made(super().__new__(cls), args, kwargs)


async def made(client: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Initialises a client. Tools that report errors find no secrets in the variables of this call."""
    before = sys.exc_info()[1]
    try:
        await client.__init__(*args, **kwargs)
    except Exception as error:
        del args, kwargs
        forget(error, before)
        raise
    return client


class AsyncSerializingProducer(Awaited, AIOProducer, Generic[K, V]):
    """An `AIOProducer` of objects: `producer = await AsyncSerializingProducer(conf)`.

    Args:
        conf: As of `AIOProducer`, and `key.serializer` and `value.serializer`, or their builders, as of
            `SerializingProducer`. They may be, and have, coroutine functions: `build()` and `aclose()`.
        arg: What follows it in `AIOProducer`.
        kwarg: The same by name.
    """

    async def __init__(self, conf: Mapping[str, Any], *arg: Any, **kwarg: Any) -> None:  # type: ignore[misc]
        try:
            self._serdes_ = serdes = Serdes(conf, "serializer", is_async=True)
        finally:
            del conf
        self._key_serializer, self._value_serializer = await serdes.build()
        await serdes.open(lambda own: AIOProducer.__init__(self, own, *arg, **kwarg), self.cluster_id)

    async def produce(  # type: ignore[override]
        self,
        topic: str,
        key: K | None = None,
        value: V | None = None,
        partition: int = -1,
        timestamp: int = 0,
        headers: Any = None,
    ) -> asyncio.Future[Any]:
        """Serializes key and value and queues the message; `key` comes before `value` here.

        Returns:
            The future of the delivery, as of `AIOProducer.produce()`.

        Raises:
            KeySerializationError: The key's serializer has failed.
            RuntimeError: The producer is closed; no serializer is called then.
            TypeError: The topic is no str; likewise.
            ValueSerializationError: The value's serializer has failed.
        """
        self._check_()
        both = self._key_serializer, self._value_serializer
        key_bytes, value_bytes = await self._serdes_.serialized(both, topic, key, value, headers)
        return await super().produce(
            topic, value_bytes, key_bytes, partition=partition, timestamp=timestamp, headers=headers
        )

    async def close(self) -> None:
        """Closes the producer, then the serializers it has made. If it raises, the next call closes the latter."""
        await super().close()
        await self._serdes_.close()


class AsyncDeserializingConsumer(Awaited, AIOConsumer, Generic[K, V]):
    """An `AIOConsumer` of objects: `consumer = await AsyncDeserializingConsumer(conf)`.

    Args:
        conf: As of `AIOConsumer`, and `key.deserializer` and `value.deserializer`, or their builders, as of
            `DeserializingConsumer`. They may be, and have, coroutine functions: `build()` and `aclose()`.
        arg: What follows it in `AIOConsumer`.
        kwarg: The same by name.
    """

    async def __init__(self, conf: Mapping[str, Any], *arg: Any, **kwarg: Any) -> None:  # type: ignore[misc]
        try:
            self._serdes_ = serdes = Serdes(conf, "deserializer", is_async=True)
        finally:
            del conf
        self._key_deserializer, self._value_deserializer = await serdes.build()
        await serdes.open(lambda own: AIOConsumer.__init__(self, own, *arg, **kwarg), self.cluster_id)

    async def poll(self, timeout: float = -1) -> Any:
        """The next message, deserialized, or None.

        Raises:
            ConsumeError: What came is an error; without deserializers it would be a message with `error()`.
            KeyDeserializationError: The key's deserializer has failed; `kafka_message` is the message as it came.
            ValueDeserializationError: The value's deserializer has failed; likewise.
        """
        found = await self._deserialized_(1, timeout)
        if not found:
            return None
        error = found[0].error()
        if error is not None:
            raise ConsumeError(error, kafka_message=found[0])
        return found[0]

    async def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Any]:
        """Several messages, deserialized. Those that stand for an error are among them, as they are.

        Where a deserializer fails, the messages before that one are returned, and the next call raises for it and
        leaves those behind it to the call after that. What is not returned yet does not count as read.

        Raises:
            KeyDeserializationError: The key's deserializer has failed; `kafka_message` is the message as it came.
            ValueDeserializationError: The value's deserializer has failed; likewise.
        """
        return await self._deserialized_(num_messages, timeout)

    async def _deserialized_(self, num_messages: int, timeout: float) -> list[Any]:
        """Takes messages, and returns those before the first one that cannot be deserialized; the rest is handed back.

        Raises:
            ConsumeError: The first one cannot be deserialized. It counts as returned by that.
        """
        until = deadline(seconds(timeout))
        check_number(num_messages)
        if turn_is_due():
            await turn()
        while True:
            with self._consumer._gathering_() as gathering:
                await self._gather_(gathering, num_messages, until)
                taken = gathering.messages
                ready, failure = await self._objects_(taken)
                # A message that cannot be given is one that the program has sought away from meanwhile.
                if failure is not None and not ready and gathering.give(taken[:1]):
                    try:
                        raise failure
                    finally:
                        del failure
                messages = gathering.give(taken[: len(ready)])
                if messages or not taken:
                    made = {id(each): objects for each, objects in zip(taken, ready, strict=False)}
                    return [each if made[id(each)] is None else given(each, made[id(each)]) for each in messages]

    async def _objects_(self, taken: list[Any]) -> tuple[list[Any], ConsumeError | None]:
        """Returns what messages have as keys and values, None for those that stand for an error; and the first failure,
        behind which nothing is converted.
        """
        both = self._key_deserializer, self._value_deserializer
        ready: list[Any] = []
        try:
            for each in taken:
                is_error = each.error() is not None
                ready.append(None if is_error else await self._serdes_.deserialized(both, each))
        except ConsumeError as failure:
            return ready, failure
        return ready, None

    async def close(self) -> None:
        """Closes the consumer, then the deserializers it has made. If it raises, the next call closes the latter."""
        await super().close()
        await self._serdes_.close()
