"""Serializers and deserializers that are ready to use.

A deserializer's error reaches the application as `kafkars.errors.DeserializationError`, which names topic, partition
and offset and keeps the bytes in `raw`; a serializer's as `SerializationError`.
"""

from __future__ import annotations

from kafkars.serde.json import JsonDeserializer, JsonSerializer

__all__ = ["JsonDeserializer", "JsonSerializer"]
