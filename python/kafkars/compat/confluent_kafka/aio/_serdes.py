"""Asyncio clients whose keys and values are objects; serializers and deserializers may be coroutine functions."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kafkars.compat.confluent_kafka._serdes import K, Serdes, V
from kafkars.compat.confluent_kafka.aio._consumer import AIOConsumer
from kafkars.compat.confluent_kafka.aio._producer import AIOProducer
from kafkars.compat.confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    KeySerializationError,
    ValueDeserializationError,
    ValueSerializationError,
)
from kafkars.compat.confluent_kafka.serialization import MessageField, SerializationContext

if TYPE_CHECKING:
    import asyncio

    from typing_extensions import Self

T = TypeVar("T")


class AsyncSerializingProducer(AIOProducer, Generic[K, V]):
    """An `AIOProducer` of objects.

    Args:
        conf: As of `AIOProducer`, and `key.serializer` and `value.serializer`, or their builders, as of
            `SerializingProducer`.
        arg: What follows it in `AIOProducer`.
        kwarg: The same by name.
    """

    def __init__(self, conf: Mapping[str, Any], *arg: Any, **kwarg: Any) -> None:
        self._serdes = Serdes(conf, "serializer")
        self._key_serializer, self._value_serializer = self._serdes.both
        super().__init__(self._serdes.conf, *arg, **kwarg)
        self._serdes.resolve_cluster_id(self.cluster_id)

    def __await__(self) -> Generator[Any, None, Self]:
        """Gives this producer at once: in the library the class is called and awaited, here it need not be awaited."""
        return given(self).__await__()

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
            ValueSerializationError: The value's serializer has failed.
        """
        try:
            key_bytes = await converted(self._key_serializer, key, topic, MessageField.KEY, headers)
        except Exception as error:
            raise KeySerializationError(error) from error
        try:
            value_bytes = await converted(self._value_serializer, value, topic, MessageField.VALUE, headers)
        except Exception as error:
            raise ValueSerializationError(error) from error
        return await super().produce(
            topic, value_bytes, key_bytes, partition=partition, timestamp=timestamp, headers=headers
        )

    async def close(self) -> None:
        """Closes the producer, then the serializers it has made."""
        try:
            await super().close()
        finally:
            self._serdes.close()


class AsyncDeserializingConsumer(AIOConsumer, Generic[K, V]):
    """An `AIOConsumer` of objects.

    Args:
        conf: As of `AIOConsumer`, and `key.deserializer` and `value.deserializer`, or their builders, as of
            `DeserializingConsumer`.
        arg: What follows it in `AIOConsumer`.
        kwarg: The same by name.
    """

    def __init__(self, conf: Mapping[str, Any], *arg: Any, **kwarg: Any) -> None:
        self._serdes = Serdes(conf, "deserializer")
        self._key_deserializer, self._value_deserializer = self._serdes.both
        super().__init__(self._serdes.conf, *arg, **kwarg)
        self._serdes.resolve_cluster_id(self.cluster_id)

    def __await__(self) -> Generator[Any, None, Self]:
        """Gives this consumer at once: in the library the class is called and awaited, here it need not be awaited."""
        return given(self).__await__()

    async def poll(self, timeout: float = -1) -> Any:
        """The next message, deserialized, or None.

        Raises:
            ConsumeError: What came is an error; without deserializers it would be a message with `error()`.
            KeyDeserializationError: The key's deserializer has failed; `kafka_message` is the message as it came.
            ValueDeserializationError: The value's deserializer has failed; likewise.
        """
        message = await super().poll(timeout)
        return None if message is None else await self._deserialized(message)

    async def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Any]:
        """Several messages, deserialized. It raises as `poll()` does; then the messages of the call are lost."""
        return [await self._deserialized(each) for each in await super().consume(num_messages, timeout)]

    async def close(self) -> None:
        """Closes the consumer, then the deserializers it has made."""
        try:
            await super().close()
        finally:
            self._serdes.close()

    async def _deserialized(self, message: Any) -> Any:
        if message.error() is not None:
            raise ConsumeError(message.error(), kafka_message=message)
        topic, headers = message.topic(), message.headers()
        try:
            key = await converted(self._key_deserializer, message.key(), topic, MessageField.KEY, headers)
        except Exception as error:
            raise KeyDeserializationError(exception=error, kafka_message=message) from error
        try:
            value = await converted(self._value_deserializer, message.value(), topic, MessageField.VALUE, headers)
        except Exception as error:
            raise ValueDeserializationError(exception=error, kafka_message=message) from error
        message.set_key(key)
        message.set_value(value)
        return message


async def converted(convert: Any, value: Any, topic: str, field: MessageField, headers: Any) -> Any:
    """What a serializer or deserializer makes of a value; without one the value itself."""
    if convert is None:
        return value
    answer = convert(value, SerializationContext(topic, field, headers))
    return await answer if inspect.isawaitable(answer) else answer


async def given(client: T) -> T:
    """The client itself."""
    return client
