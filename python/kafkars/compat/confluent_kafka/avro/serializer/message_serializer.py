"""`confluent_kafka.avro.serializer.message_serializer`: not offered; what programs name can be imported."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others
from kafkars.compat.confluent_kafka.avro.error import ClientError
from kafkars.compat.confluent_kafka.avro.serializer import KeySerializerError, SerializerError, ValueSerializerError

__all__ = ["ClientError", "KeySerializerError", "MessageSerializer", "SerializerError", "ValueSerializerError"]

[MessageSerializer] = classes(__name__, SERIALIZE, "MessageSerializer")
__getattr__ = others(__name__, SERIALIZE)
