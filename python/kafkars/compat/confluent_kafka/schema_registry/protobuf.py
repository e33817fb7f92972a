"""`confluent_kafka.schema_registry.protobuf`: not offered; the classes can be imported and say what there is
instead.
"""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others

__all__ = ["AsyncProtobufDeserializer", "AsyncProtobufSerializer", "ProtobufDeserializer", "ProtobufSerializer"]

ProtobufSerializer, ProtobufDeserializer, AsyncProtobufSerializer, AsyncProtobufDeserializer = classes(
    __name__,
    SERIALIZE,
    "ProtobufSerializer",
    "ProtobufDeserializer",
    "AsyncProtobufSerializer",
    "AsyncProtobufDeserializer",
)
__getattr__ = others(__name__, SERIALIZE)
