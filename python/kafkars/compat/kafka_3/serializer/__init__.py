"""Serializers and deserializers (`kafka.serializer`)."""

from __future__ import annotations

from kafkars.compat.kafka_3.serializer.abstract import Deserializer, Serializer
from kafkars.compat.kafka_3.serializer.default import DefaultSerializer
from kafkars.compat.kafka_3.serializer.json import JsonSerializer
from kafkars.compat.kafka_3.serializer.wrapper import DeserializeWrapper, SerializeWrapper

__all__ = [
    "DefaultSerializer",
    "DeserializeWrapper",
    "Deserializer",
    "JsonSerializer",
    "SerializeWrapper",
    "Serializer",
]
