"""`confluent_kafka.avro.serializer`: the exceptions, for programs that catch them."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, others

__all__ = ["KeySerializerError", "SerializerError", "ValueSerializerError"]


class SerializerError(Exception):
    """Something cannot be made bytes, or bytes an object."""


class KeySerializerError(SerializerError):
    """The same of a key."""


class ValueSerializerError(SerializerError):
    """The same of a value."""


__getattr__ = others(__name__, SERIALIZE)
