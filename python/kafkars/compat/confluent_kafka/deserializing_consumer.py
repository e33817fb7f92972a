"""`confluent_kafka.deserializing_consumer`: a consumer of objects."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Generic

from kafkars._discreet import discreet
from kafkars.compat.confluent_kafka._consumer import Consumer
from kafkars.compat.confluent_kafka._serdes import K, Serdes, V, at_once, given
from kafkars.compat.confluent_kafka.error import ConsumeError

__all__ = ["DeserializingConsumer"]


class DeserializingConsumer(Consumer, Generic[K, V]):
    """A `Consumer` whose messages have objects as keys and values.

    Args:
        conf: As of `Consumer`, and `key.deserializer` and `value.deserializer`: functions of bytes or None and a
            `SerializationContext`; or `key.deserializer.builder` and `value.deserializer.builder`, whose deserializers
            belong to the consumer and are closed with it.

    Raises:
        KafkaException: As of `Consumer`.
        ValueError: There is no `group.id`.
    """

    @discreet
    def __init__(self, conf: Mapping[str, Any]) -> None:
        self._serdes_ = serdes = Serdes(conf, "deserializer")
        self._key_deserializer, self._value_deserializer = at_once(serdes.build())
        at_once(serdes.open(super().__init__, self.cluster_id))

    def poll(self, timeout: float = -1) -> Any:
        """The next message, deserialized, or None.

        Raises:
            ConsumeError: What came is an error; without deserializers it would be a message with `error()`.
            KeyDeserializationError: The key's deserializer has failed; `kafka_message` is the message as it came.
            ValueDeserializationError: The value's deserializer has failed; likewise.
        """
        message = super().poll(timeout)
        if message is None:
            return None
        if message.error() is not None:
            raise ConsumeError(message.error(), kafka_message=message)
        both = self._key_deserializer, self._value_deserializer
        at: Any = message.topic(), message.partition(), message.offset()
        try:
            return given(message, at_once(self._serdes_.deserialized(both, message)))
        except Exception:
            raise
        except BaseException:
            # Ctrl+C within a deserializer: nobody has got the message.
            self._hand_back_(*at)
            raise

    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Any]:
        """Not offered, as in the library: call `poll()`."""
        raise NotImplementedError("a DeserializingConsumer has no consume(); call poll()")

    def close(self) -> None:
        """Closes the consumer, then the deserializers it has made. If it raises, the next call closes the latter."""
        super().close()
        at_once(self._serdes_.close())

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, exc_traceback: TracebackType | None
    ) -> None:
        """See `close()`."""
        self.close()
