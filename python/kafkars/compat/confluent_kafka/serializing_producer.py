"""`confluent_kafka.serializing_producer`: a producer of objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Generic

from kafkars._discreet import discreet
from kafkars.compat.confluent_kafka._producer import Producer
from kafkars.compat.confluent_kafka._serdes import K, Serdes, V, at_once

__all__ = ["SerializingProducer"]


class SerializingProducer(Producer, Generic[K, V]):
    """A `Producer` whose keys and values are objects.

    Args:
        conf: As of `Producer`, and `key.serializer` and `value.serializer`: functions of the object and a
            `SerializationContext` that return bytes or None; or `key.serializer.builder` and
            `value.serializer.builder`, whose serializers belong to the producer and are closed with it.

    Raises:
        KafkaException: As of `Producer`.
    """

    @discreet
    def __init__(self, conf: Mapping[str, Any]) -> None:
        self._serdes_ = serdes = Serdes(conf, "serializer")
        self._key_serializer, self._value_serializer = at_once(serdes.build())
        at_once(serdes.open(super().__init__, self.cluster_id))

    def produce(  # type: ignore[override]
        self,
        topic: str,
        key: K | None = None,
        value: V | None = None,
        partition: int = -1,
        on_delivery: Callable[[Any, Any], object] | None = None,
        timestamp: int = 0,
        headers: Any = None,
    ) -> None:
        """Serializes key and value and queues the message; `key` comes before `value` here.

        Raises:
            BufferError: The queue is full; `poll()` and try again.
            KeySerializationError: The key's serializer has failed.
            ValueSerializationError: The value's serializer has failed.
            KafkaException: The message is too large, or the producer met a fatal error.
            RuntimeError: The producer is closed; no serializer is called then.
            TypeError: The topic is no str; likewise.
        """
        self._check_()
        both = self._key_serializer, self._value_serializer
        key_bytes, value_bytes = at_once(self._serdes_.serialized(both, topic, key, value, headers))
        super().produce(
            topic,
            value_bytes,
            key_bytes,
            partition=partition,
            on_delivery=on_delivery,
            timestamp=timestamp,
            headers=headers,
        )

    def close(self, timeout: float | None = -1) -> bool:
        """Closes the producer as `Producer.close()` does, then the serializers it has made.

        Where that raises, the serializers stay open, because the producer may still be; the next call closes them.
        """
        is_closed = super().close(timeout)
        at_once(self._serdes_.close())
        return is_closed

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, exc_traceback: TracebackType | None
    ) -> None:
        """See `close()`."""
        self.close()
