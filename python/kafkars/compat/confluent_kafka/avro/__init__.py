"""`confluent_kafka.avro`: not offered; the classes can be imported and say what there is instead."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, functions, others

__all__ = [
    "AvroConsumer",
    "AvroProducer",
    "CachedSchemaRegistryClient",
    "ClientError",
    "KeySerializerError",
    "MessageSerializer",
    "SerializerError",
    "ValueSerializerError",
    "load",
    "loads",
]


class ClientError(Exception):
    """A registry has refused a request."""


class SerializerError(Exception):
    """Something cannot be made bytes, or bytes an object."""


class KeySerializerError(SerializerError):
    """The same of a key."""


class ValueSerializerError(SerializerError):
    """The same of a value."""


AvroProducer, AvroConsumer, CachedSchemaRegistryClient, MessageSerializer = classes(
    __name__, SERIALIZE, "AvroProducer", "AvroConsumer", "CachedSchemaRegistryClient", "MessageSerializer"
)
load, loads = functions(__name__, SERIALIZE, "load", "loads")
__getattr__ = others(__name__, SERIALIZE)
