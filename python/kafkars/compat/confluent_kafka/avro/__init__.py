"""`confluent_kafka.avro`: not offered; the classes can be imported and say what there is instead."""

from __future__ import annotations

from kafkars.compat.confluent_kafka import Consumer, Producer
from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others, public
from kafkars.compat.confluent_kafka.avro.cached_schema_registry_client import CachedSchemaRegistryClient
from kafkars.compat.confluent_kafka.avro.error import ClientError
from kafkars.compat.confluent_kafka.avro.load import load, loads
from kafkars.compat.confluent_kafka.avro.serializer import KeySerializerError, SerializerError, ValueSerializerError
from kafkars.compat.confluent_kafka.avro.serializer.message_serializer import MessageSerializer

__all__ = [
    "AvroConsumer",
    "AvroProducer",
    "CachedSchemaRegistryClient",
    "ClientError",
    "Consumer",
    "KeySerializerError",
    "MessageSerializer",
    "Producer",
    "SerializerError",
    "ValueSerializerError",
    "load",
    "loads",
]

[AvroProducer] = classes(__name__, SERIALIZE, "AvroProducer", methods=public(Producer))
[AvroConsumer] = classes(__name__, SERIALIZE, "AvroConsumer", methods=public(Consumer))
__getattr__ = others(__name__, SERIALIZE)
