"""`confluent_kafka.avro.serializer.message_serializer`: not offered; what programs name can be imported."""

from __future__ import annotations

import io
import logging

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others
from kafkars.compat.confluent_kafka.avro.error import ClientError
from kafkars.compat.confluent_kafka.avro.serializer import KeySerializerError, SerializerError, ValueSerializerError

__all__ = [
    "HAS_FAST",
    "MAGIC_BYTE",
    "ClientError",
    "ContextStringIO",
    "KeySerializerError",
    "MessageSerializer",
    "SerializerError",
    "ValueSerializerError",
]

MAGIC_BYTE = 0
"""With this begins what a serializer makes."""

HAS_FAST = False
"""Whether records are read and written by fastavro."""

log = logging.getLogger(__name__)


class ContextStringIO(io.BytesIO):
    """Bytes that are written or read in a `with` block."""


[MessageSerializer] = classes(
    __name__,
    SERIALIZE,
    "MessageSerializer",
    methods=("decode_message", "encode_record_with_schema", "encode_record_with_schema_id"),
)
__getattr__ = others(__name__, SERIALIZE)
