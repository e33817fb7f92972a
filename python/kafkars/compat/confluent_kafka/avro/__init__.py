"""`confluent_kafka.avro`: not offered; the classes can be imported and say what there is instead."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, functions, others
from kafkars.compat.confluent_kafka.avro.error import ClientError
from kafkars.compat.confluent_kafka.avro.serializer import KeySerializerError, SerializerError, ValueSerializerError

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

AvroProducer, AvroConsumer, CachedSchemaRegistryClient, MessageSerializer = classes(
    __name__, SERIALIZE, "AvroProducer", "AvroConsumer", "CachedSchemaRegistryClient", "MessageSerializer"
)
load, loads = functions(__name__, SERIALIZE, "load", "loads")
__getattr__ = others(__name__, SERIALIZE)
