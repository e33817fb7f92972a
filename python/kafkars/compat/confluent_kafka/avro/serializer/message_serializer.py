"""`confluent_kafka.avro.serializer.message_serializer`: not offered; its names say what there is instead."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, others
from kafkars.compat.confluent_kafka.avro import MessageSerializer

__all__ = ["MessageSerializer"]

__getattr__ = others(__name__, SERIALIZE)
