"""`confluent_kafka.schema_registry.avro`: not offered; the classes can be imported and say what there is instead."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others

__all__ = ["AsyncAvroDeserializer", "AsyncAvroSerializer", "AvroDeserializer", "AvroSerializer"]

AvroSerializer, AvroDeserializer, AsyncAvroSerializer, AsyncAvroDeserializer = classes(
    __name__, SERIALIZE, "AvroSerializer", "AvroDeserializer", "AsyncAvroSerializer", "AsyncAvroDeserializer"
)
__getattr__ = others(__name__, SERIALIZE)
