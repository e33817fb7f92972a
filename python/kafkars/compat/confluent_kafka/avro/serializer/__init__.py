"""`confluent_kafka.avro.serializer`: its errors, which programs name."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, others

__all__ = ["KeySerializerError", "SerializerError", "ValueSerializerError"]


class SerializerError(Exception):
    """Something cannot be made bytes, or bytes an object.

    Args:
        message: Why.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __repr__(self) -> str:
        return f"{type(self).__name__}(error={self.message})"


class KeySerializerError(SerializerError):
    """The same of a key."""


class ValueSerializerError(SerializerError):
    """The same of a value."""


__getattr__ = others(__name__, SERIALIZE)
