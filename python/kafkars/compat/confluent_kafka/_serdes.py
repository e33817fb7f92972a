"""The serializers and deserializers of a client's configuration, and the translation of their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kafkars.compat.confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    KeySerializationError,
    ValueDeserializationError,
    ValueSerializationError,
)
from kafkars.compat.confluent_kafka.serialization import MessageField, SerializationContext

if TYPE_CHECKING:
    # With defaults, for a client whose types nobody has said; `typing` has them since Python 3.13.
    from typing_extensions import TypeVar

    K = TypeVar("K", default=Any)
    V = TypeVar("V", default=Any)
else:
    from typing import TypeVar

    K = TypeVar("K")
    V = TypeVar("V")

Convert = Callable[[Any, SerializationContext], Any]
Both = tuple[Convert | None, Convert | None]
"""What converts keys, and what converts values."""


class Serdes:
    """The serializers, or deserializers, of one client.

    Args:
        conf: The program's configuration; it is not changed.
        kind: "serializer" or "deserializer".
    """

    def __init__(self, conf: Mapping[str, Any], kind: str) -> None:
        self.conf: dict[str, Any] = dict(conf)
        self._owned: list[Any] = []
        self.both: Both = self._take("key", kind), self._take("value", kind)
        """Those of keys and of values; the client keeps them, under the names of the library."""

    def _take(self, field: str, kind: str) -> Convert | None:
        converter: Convert | None = self.conf.pop(f"{field}.{kind}", None)
        builder = self.conf.pop(f"{field}.{kind}.builder", None)
        if builder is None:
            return converter
        if converter is not None:
            raise ValueError(f"{field}.{kind} and {field}.{kind}.builder are both set; one of them decides")
        built: Any
        built, self.conf = builder.build(self.conf, field == "key")
        self._owned.append(built)
        return built  # type: ignore[no-any-return]

    def resolve_cluster_id(self, resolver: Callable[[], Any]) -> None:
        """Passes a function for the cluster's id to those that the client has made."""
        for each in self._owned:
            each.set_cluster_id_resolver(resolver)

    def close(self) -> None:
        """Closes those that the client has made, each also if another one fails."""
        failures: list[Exception] = []
        for each in self._owned:
            try:
                each.close()
            except Exception as error:  # noqa: BLE001, PERF203  all are closed, then the first failure is told
                failures.append(error)
        self._owned.clear()
        if failures:
            raise failures[0]


def serialized(both: Both, topic: str, key: Any, value: Any, headers: Any) -> tuple[Any, Any]:
    """Returns key and value as bytes.

    Raises:
        KeySerializationError: The key's serializer has failed.
        ValueSerializationError: The value's serializer has failed.
    """
    of_key, of_value = both
    if of_key is not None:
        try:
            key = of_key(key, SerializationContext(topic, MessageField.KEY, headers))
        except Exception as error:
            raise KeySerializationError(error) from error
    if of_value is not None:
        try:
            value = of_value(value, SerializationContext(topic, MessageField.VALUE, headers))
        except Exception as error:
            raise ValueSerializationError(error) from error
    return key, value


def deserialized(both: Both, message: Any) -> Any:
    """Returns the message with objects as key and value.

    Raises:
        ConsumeError: The message stands for an error.
        ValueDeserializationError: The value's deserializer has failed.
        KeyDeserializationError: The key's deserializer has failed.
    """
    if message.error() is not None:
        raise ConsumeError(message.error(), kafka_message=message)
    topic, headers = message.topic(), message.headers()
    key, value = message.key(), message.value()
    of_key, of_value = both
    if of_key is not None:
        try:
            key = of_key(key, SerializationContext(topic, MessageField.KEY, headers))
        except Exception as error:
            raise KeyDeserializationError(exception=error, kafka_message=message) from error
    if of_value is not None:
        try:
            value = of_value(value, SerializationContext(topic, MessageField.VALUE, headers))
        except Exception as error:
            raise ValueDeserializationError(exception=error, kafka_message=message) from error
    message.set_key(key)
    message.set_value(value)
    return message
